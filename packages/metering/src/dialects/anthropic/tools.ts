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
  UnreadTool,
} from '../named-tools.ts';

/** A tool's type, with its date. */
const dated = /^([a-z_]+?)(_toolset)?_\d{8}$/;

/** Tools that the agent runs by a description of the provider's, with whether its length is known. */
const ranByClient = new Map<string, boolean>([
  ...(['computer', 'bash', 'text_editor', 'memory'] as const).map((name) => [name, true] as const),
  ['browser', false],
]);

/** Who runs a tool; null if the provider does, or adds a description of unknown length. */
export function findRunner({ type, input_schema: schema }: JsonObject) {
  if (type === undefined || type === null ? schema !== undefined : type === 'custom') return 'own';
  const [, name = '', toolset] = dated.exec(asName(type)) ?? [];
  return toolset === undefined && ranByClient.get(name) ? 'described' : null;
}

function readTool({ type, name, mcp_server_name: server }: JsonObject, servers: ReadonlySet<unknown>): EventTool[] {
  if (type === undefined || type === null || type === 'custom') return [nameTool('client', name)];
  // Its server is listed by its address.
  if (type === 'mcp_toolset') {
    if (!servers.has(server)) throw new UnreadTool();
    return [];
  }
  const own = dated.exec(asName(type))?.[1] ?? '';
  if (!ranByClient.has(own)) return [nameTyped('hosted', type)];
  // Only the editor's name is not in its type.
  return [nameTyped('client', type, /^str_replace_/.test(asName(name)) && own === 'text_editor' ? name : own)];
}

const isReference = /^(?:tool|mcp_tool|mcp_toolset)_reference$/;

/** Tools that messages add, and those that a summary of earlier messages repeats. */
function listAdded(messages: unknown): JsonObject[] {
  return asArray(messages)
    .flatMap((message) => asArray(asObject(message).content))
    .map(asObject)
    .flatMap((block) => (block.type === 'compaction' ? asArray(block.tool_changes).map(asObject) : [block]))
    .filter(({ type }) => type === 'tool_addition')
    .map(({ tool }) => asObject(tool))
    .map((tool) => (tool.type === 'tool_definition' ? asObject(tool.definition) : tool))
    .filter(({ type }) => !isReference.test(asName(type)));
}

/** What a message offers its model, also within the conversation. @throws UnreadTool */
export function readTools({ tools, mcp_servers: given, messages, thread, container }: JsonObject): EventTool[] {
  assureNotStored({ thread: thread && asObject(thread).type !== 'create' });
  const servers = listObjects(given);
  const names = new Set(servers.map(({ name }) => name));
  return [
    ...servers.map(({ url }) => nameServer(url)),
    ...listObjects(asObject(container).skills).map(({ skill_id: id }) => nameTool('hosted', id, 'skills')),
    ...listObjects([...listObjects(tools), ...listAdded(messages)]).flatMap((tool) => readTool(tool, names)),
  ];
}

/** `fallbacks` may be left to the provider, or to a list; the adviser's tool has a model. */
export function listModels({ fallbacks, tools, messages }: JsonObject): (string | null)[] {
  const others =
    fallbacks === undefined || fallbacks === null || Array.isArray(fallbacks) ? asArray(fallbacks) : [null];
  return [
    ...others.map((each) => asText(asObject(each).model)),
    ...[...asArray(tools).map(asObject), ...listAdded(messages)].flatMap((tool) => listToolModels(tool)),
  ];
}

function readBlock(value: unknown): EventTool[] {
  const { type, name, server_name: server } = asObject(value);
  if (type === 'tool_use') return callTool('client', name);
  if (type === 'server_tool_use') return callTool('hosted', name);
  return type === 'mcp_tool_use' ? callTool('remote_mcp', `${asText(server) ?? ''}.${asText(name) ?? ''}`) : [];
}

/** A stream begins with a message, a line of results holds one. */
export const answerNames: AnswerNaming = {
  marks: ['tool_use"', '"fallback"'],
  read(value) {
    const message = asObject(value.message ?? asObject(value.result).message ?? value);
    const called = [...asArray(message.content), value.content_block].flatMap(readBlock);
    // A block says which model goes on in place of the first.
    const block = asObject(value.content_block);
    const next = block.type === 'fallback' ? asObject(block.to).model : undefined;
    return { model: asText(next ?? message.model), called };
  },
};
