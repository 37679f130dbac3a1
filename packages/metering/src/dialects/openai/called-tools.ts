import type { EventTool } from '@agp/core/events';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { type AnswerNaming, callTool } from '../named-tools.ts';

/** Those that the agent runs by a description of the provider's. */
const ranByClient = /^(?:computer|local_shell|shell|apply_patch)$/;

/** Of a chat; its name comes in the first piece alone. */
function readCall(value: unknown): EventTool[] {
  const { function: called, custom, name } = asObject(value);
  return callTool('client', asObject(called).name ?? asObject(custom).name ?? name);
}

/** Of a response: a function by its name, all else by the type without `_call`. */
function readItem(value: unknown): EventTool[] {
  const { type, name, namespace, server_label: server } = asObject(value);
  const kind = /^([a-z_]+)_call$/.exec(asText(type) ?? '')?.[1];
  if (kind === undefined) return [];
  const space = asText(namespace) ?? '';
  if (kind === 'function' || kind === 'custom_tool')
    return callTool('client', space === '' ? name : `${space}.${asText(name) ?? ''}`, name);
  if (kind === 'mcp') return callTool('remote_mcp', `${asText(server) ?? ''}.${asText(name) ?? ''}`);
  return callTool(ranByClient.test(kind) ? 'client' : 'hosted', kind);
}

function readChoice(value: unknown): EventTool[] {
  const { message, delta } = asObject(value);
  const { tool_calls: calls, function_call: call, executed_tools: ran } = asObject(message ?? delta);
  return [
    ...asArray(calls).flatMap(readCall),
    ...(call ? readCall(call) : []),
    ...asArray(ran).flatMap((tool) => callTool('hosted', asObject(tool).type)),
  ];
}

/** A batch's line holds an answer in `response.body`, an event of a response one in `response`. */
function findAnswer(value: JsonObject): JsonObject {
  const { body, ...response } = asObject(value.response);
  if (body !== undefined) return asObject(body);
  return Object.keys(response).length > 0 ? response : value;
}

export const answerNames: AnswerNaming = {
  marks: /"(?:name|executed_tools)"\s*:|"type"\s*:\s*"[a-z_]+_call"/,
  read(value) {
    const { model, choices, output } = findAnswer(value);
    const called = [...asArray(choices).flatMap(readChoice), ...[...asArray(output), value.item].flatMap(readItem)];
    return { model: asText(model), called };
  },
};
