import type { EventTool } from '@agp/core/events';
import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import {
  type AnswerNaming,
  assureNotStored,
  callTool,
  listObjects,
  listToolModels,
  nameServer,
  nameTool,
  nameTyped,
  ranByAgent,
  searching,
  UnreadTool,
} from '../named-tools.ts';

/** Who runs a tool, by its type: the agent by its own description, or by one that the provider adds. The provider runs all others. */
const runners = new Map<string, 'own' | 'described'>([
  ...(['function', 'custom'] as const).map((type) => [type, 'own'] as const),
  ...(['computer', 'computer_use_preview', 'local_shell', 'shell', 'apply_patch'] as const).map(
    (type) => [type, 'described'] as const,
  ),
]);

/** A shell without an environment, or with a local one, is the agent's. */
const runsShell = (environment: unknown) => !environment || asObject(environment).type === 'local';

/** Null if the provider runs it, or may. */
export const findRunner = ({ type, environment }: JsonObject) =>
  type === 'shell' && environment !== undefined ? null : (runners.get(asName(type)) ?? null);

/** The deepest groups within groups; no API has any. */
const maxSpaces = 4;

function readTool(tool: JsonObject, spaces: readonly string[] = []): EventTool[] {
  const { type, function: called, custom, name, server_url: url, connector_id: connector, tunnel_id: tunnel } = tool;
  const named = new Set(
    [asObject(called).name, asObject(custom).name, name].map(asText).filter((each) => each !== null),
  );
  const [own = null] = named;
  if (type === undefined || type === null || type === 'function' || type === 'custom') {
    if (named.size > 1) throw new UnreadTool();
    return [nameTool('client', own && [...spaces, own].join('.'), own)];
  }
  if (type === 'namespace') {
    if (spaces.length >= maxSpaces) throw new UnreadTool();
    return listObjects(tool.tools).flatMap((each) => readTool(each, [...spaces, asName(name)]));
  }
  const places = [
    ...(url ? [nameServer(url)] : []),
    ...(connector ? [nameTool('connector', connector)] : []),
    ...(tunnel ? [nameTool('tunnel', tunnel)] : []),
  ];
  if (type === 'mcp') {
    if (places.length === 0) throw new UnreadTool();
    return places;
  }
  const isSearched = type === 'tool_search' && tool.execution === 'client';
  const isOwn =
    isSearched ||
    ranByAgent.test(asName(type)) ||
    (runners.get(asName(type)) === 'described' && (type !== 'shell' || runsShell(tool.environment)));
  // Moonshot's have a function each.
  const others = type === 'builtin_function' ? [own] : [];
  return [nameTyped(isOwn ? 'client' : 'hosted', type, ...others), ...places];
}

/** References to stored items that hold no tools, by their ids. */
const toNoTools = /^(?:msg|rs|fc|fco|ctc|ws|fs|ci|ig)_/;

/** Members of a message by which some servers take tools; history names those of MCP servers. */
const holdsTools = ({ type, tools, functions, mcp_servers: servers, plugins }: JsonObject) =>
  Boolean(functions || servers || plugins || (tools && type !== 'mcp_list_tools'));

/** Tools within the conversation. @throws UnreadTool */
function listBrought({ input, messages }: JsonObject): JsonObject[] {
  const items = [...asArray(input), ...asArray(messages)].map(asObject).filter(holdsTools);
  if (items.some(({ functions, mcp_servers: servers, plugins }) => functions || servers || plugins))
    throw new UnreadTool();
  return items;
}

/** Without a type and a role, an item is a reference too. */
const isReference = ({ type, role, id }: JsonObject) =>
  type === 'item_reference' || (id !== undefined && (type === undefined || type === null) && role === undefined);

const isStored = (item: JsonObject) => isReference(item) && !toNoTools.test(asName(item.id));

/** Members that make a server search, of OpenAI, xAI, Alibaba and OpenRouter. */
function searches(body: JsonObject): boolean {
  const { web_search_options: options, web_search: asked, search_parameters: live, model, models } = body;
  const { enable_search: enabled, enable_enhancement: enhanced } = body;
  const isOnline = [model, ...asArray(models)].some((name) => searching.test(asName(name)));
  return Boolean(options || asked || enabled || enhanced) || isOnline || Boolean(live && asObject(live).mode !== 'off');
}

const bringing = new Set(
  `tools functions plugins connectors compound_custom data_sources dataSources web_search_options search_parameters
  enable_search enable_enhancement web_search code_interpreter enable_code_interpreter models preset prompt previous_response_id conversation input`.split(
    /\s+/,
  ),
);

/** Most chats have no member that names a tool or another model. */
function isSimple(body: JsonObject): boolean {
  for (const key in body) if (bringing.has(key)) return false;
  if (asArray(body.messages).some((message) => holdsTools(asObject(message)))) return false;
  return typeof body.model !== 'string' || !(body.model.includes('@preset/') || searching.test(body.model));
}

/** What a chat or a response offers its model, at the servers that speak the format too. @throws UnreadTool */
export function readTools(body: JsonObject): EventTool[] {
  if (isSimple(body)) return [];
  const { prompt, previous_response_id, conversation, preset, input } = body;
  const brings = { prompt: asObject(prompt).id !== undefined, input: asArray(input).map(asObject).some(isStored) };
  assureNotStored({ ...brings, previous_response_id, conversation, preset });
  const { tools, functions, plugins, connectors, compound_custom: groq } = body;
  const sources = [...listObjects(body.data_sources), ...listObjects(body.dataSources)];
  return [
    ...[tools, ...listBrought(body).map((item) => item.tools)].flatMap(listObjects).flatMap((tool) => readTool(tool)),
    ...listObjects(functions).map(({ name }) => nameTool('client', name)),
    ...listObjects(plugins).map(({ id }) => nameTyped('hosted', id)),
    ...sources.map(({ type }) => nameTyped('hosted', type)),
    ...listObjects(connectors).map(({ id }) => nameTool('connector', id)),
    ...(listObjects(connectors).some(({ id }) => id === 'web-search') ? [nameTool('hosted', 'web_search')] : []),
    ...asArray(asObject(asObject(groq).tools).enabled_tools).map((name) => nameTyped('hosted', name)),
    ...(searches(body) ? [nameTool('hosted', 'web_search')] : []),
    ...(body.enable_code_interpreter || body.code_interpreter ? [nameTool('hosted', 'code_interpreter')] : []),
  ];
}

/** OpenRouter's stored presets, and what tools that are models name. */
export function listModels(body: JsonObject): (string | null)[] {
  if (isSimple(body)) return [];
  const { model, models, preset, tools, plugins, input, compound_custom: groq } = body;
  const { data_sources: sources, dataSources: older } = body;
  const isPreset = [model, ...asArray(models)].some((name) => asText(name)?.includes('@preset/'));
  const all = [
    tools,
    plugins,
    groq && [groq],
    sources,
    older,
    ...[input, body.messages].flatMap(asArray).map((item) => asObject(item).tools),
  ]
    .flatMap(asArray)
    .map(asObject);
  return [...(preset || isPreset ? [null] : []), ...all.flatMap((tool) => listToolModels(tool))];
}

/** Reads a call of a chat; its name comes in the first piece alone. */
function readCalled(value: unknown): EventTool[] {
  const { function: called, custom, name } = asObject(value);
  return callTool('client', asObject(called).name ?? asObject(custom).name ?? name);
}

/** Reads an item of a response: a function by its name, all else by the type without `_call`. */
function readItem(value: unknown): EventTool[] {
  const { type, name, namespace, server_label: server } = asObject(value);
  const kind = /^([a-z_]+)_call$/.exec(asText(type) ?? '')?.[1];
  if (kind === undefined) return [];
  const space = asText(namespace) ?? '';
  if (kind === 'function' || kind === 'custom_tool')
    return callTool('client', space === '' ? name : `${space}.${asText(name) ?? ''}`, name);
  if (kind === 'mcp') return callTool('remote_mcp', `${asText(server) ?? ''}.${asText(name) ?? ''}`);
  return callTool(runners.get(kind) === 'described' ? 'client' : 'hosted', kind);
}

function readChoice(value: unknown): EventTool[] {
  const { message, delta } = asObject(value);
  return [message, delta]
    .map(asObject)
    .flatMap(({ tool_calls: calls, function_call: call, executed_tools: ran }) => [
      ...asArray(calls).flatMap(readCalled),
      ...(call ? readCalled(call) : []),
      ...asArray(ran).flatMap((tool) => callTool('hosted', asObject(tool).type)),
    ]);
}

/** A batch's line holds an answer in `response.body`, an event of a response one in `response`. */
function findAnswer(value: JsonObject): JsonObject {
  const { body, ...response } = asObject(value.response);
  if (body !== undefined) return asObject(body);
  return Object.keys(response).length > 0 ? response : value;
}

/** The longest name that is joined, in UTF-16 units. */
const maxJoined = 256;

export const answerNames: AnswerNaming = {
  marks: ['"name"', '"executed_tools"', '_call"'],
  read(value) {
    const { model, choices, output } = findAnswer(value);
    const called = [...asArray(choices).flatMap(readChoice), ...[...asArray(output), value.item].flatMap(readItem)];
    return { model: asText(model), called };
  },
  // Some SDKs join the pieces of a name, some keep the last.
  join: ({ choices }, begun) =>
    asArray(choices)
      .map(asObject)
      .flatMap(({ index: choice, delta }) => {
        const { tool_calls: calls, function_call: call } = asObject(delta);
        return [...asArray(calls), ...(call ? [call] : [])].map(asObject).flatMap((each) => {
          const piece = asText(asObject(each.function).name ?? asObject(each.custom).name ?? each.name);
          if (piece === null) return [];
          const key = `${asName(choice)} ${asName(each.index)}`;
          const before = begun.get(key) ?? '';
          begun.set(key, `${before}${piece}`.slice(0, maxJoined));
          return before === '' ? [] : callTool('client', `${before}${piece}`);
        });
      }),
};
