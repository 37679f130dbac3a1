import type { EventTool } from '@agp/core/events';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { toSnake } from '../bounds.ts';
import {
  type AnswerNaming,
  assureNotStored,
  callTool,
  listObjects,
  listToolModels,
  nameServer,
  nameTool,
  nameTyped,
} from '../named-tools.ts';
import { listInlined } from './batches.ts';

/** The name of a member, in snake_case or in camelCase, says what a tool is. */
function readMembers(tool: JsonObject): EventTool[] {
  return Object.entries(tool).flatMap(([member, value]) => {
    const kind = toSnake(member);
    if (kind === 'function_declarations')
      return listObjects(value).map((declared) => nameTool('client', declared.name));
    if (kind === 'mcp_servers') return listObjects(value).flatMap(readServer);
    return [nameTool(kind === 'computer_use' ? 'client' : 'hosted', kind, member)];
  });
}

function readServer({ streamableHttpTransport, streamable_http_transport, url }: JsonObject): EventTool[] {
  const { url: within } = asObject(streamableHttpTransport ?? streamable_http_transport);
  return [...(url ? [nameServer(url)] : []), ...(within || !url ? [nameServer(within)] : [])];
}

function readTyped({ type, name, url }: JsonObject): EventTool[] {
  if (type === 'function') return [nameTool('client', name)];
  if (type === 'mcp_server') return [nameServer(url)];
  return [nameTyped(type === 'computer_use' ? 'client' : 'hosted', type)];
}

/** What a request offers its model. @throws UnreadTool */
export function readTools(
  { cachedContent, cached_content, agent, tools }: JsonObject,
  read = readMembers,
): EventTool[] {
  assureNotStored({ cachedContent, cached_content, agent });
  return listObjects(tools).flatMap(read);
}

/** The tools of an interaction have types. @throws UnreadTool */
export const readTypedTools = (body: JsonObject): EventTool[] => readTools(body, readTyped);

/** Vertex AI may route to another model than the path's, an agent has one of its own. */
export function listModels({ generationConfig, generation_config, agent, agent_config, tools }: JsonObject) {
  const { routingConfig, routing_config, modelConfig, model_config } = asObject(generationConfig ?? generation_config);
  const routings = [routingConfig, routing_config, modelConfig, model_config].filter(Boolean);
  return [
    ...routings.map((routing): string | null => {
      const { manualMode, manual_mode } = asObject(routing);
      const { modelName, model_name } = asObject(manualMode ?? manual_mode);
      return asText(modelName ?? model_name);
    }),
    ...(agent ? [asText(agent)] : []),
    ...[asObject(agent_config), ...asArray(tools).map(asObject)].flatMap((each) => listToolModels(each)),
  ];
}

function readPart(value: unknown): EventTool[] {
  const { functionCall, function_call: call, toolCall, executableCode } = asObject(value);
  return [
    ...callTool('client', asObject(functionCall ?? call).name),
    ...callTool('hosted', asObject(toolCall).toolType ?? asObject(toolCall).name),
    ...(executableCode ? callTool('hosted', 'code_execution') : []),
  ];
}

function readCandidate(value: unknown): EventTool[] {
  const { content, groundingMetadata, urlContextMetadata } = asObject(value);
  return [
    ...asArray(asObject(content).parts).flatMap(readPart),
    ...(asArray(asObject(groundingMetadata).webSearchQueries).length > 0 ? callTool('hosted', 'google_search') : []),
    ...(urlContextMetadata ? callTool('hosted', 'url_context') : []),
  ];
}

/** Reads a step of an interaction. */
function readStep(value: unknown): EventTool[] {
  const { type, name, server_name: server } = asObject(value);
  if (type === 'function_call') return callTool('client', name);
  if (type === 'mcp_server_tool_call') return callTool('remote_mcp', `${asText(server) ?? ''}.${asText(name) ?? ''}`);
  const kind = /^([a-z_]+)_call$/.exec(asText(type) ?? '')?.[1];
  return kind === undefined ? [] : callTool('hosted', kind);
}

/** An event of an interaction holds a part of one, the result of a batch its answers. */
export const answerNames: AnswerNaming = {
  marks: [
    '"functionCall"',
    '"function_call"',
    '"toolCall"',
    '"executableCode"',
    '"webSearchQueries"',
    '"urlContextMetadata"',
    '_call"',
  ],
  read(value) {
    const { candidates, modelVersion, model, interaction, steps, outputs, step, delta, response } = value;
    const whole = asObject(interaction);
    const all = [...asArray(steps ?? outputs), ...asArray(whole.steps ?? whole.outputs), step, delta];
    const answers = listInlined(asObject(response)).flatMap((item) =>
      asArray(asObject(asObject(item).response).candidates),
    );
    const called = [...[...asArray(candidates), ...answers].flatMap(readCandidate), ...all.flatMap(readStep)];
    return { model: asText(modelVersion) ?? asText(whole.model) ?? asText(model), called };
  },
};
