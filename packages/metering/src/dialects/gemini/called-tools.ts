import type { EventTool } from '@agp/core/events';
import { asArray, asObject, asText } from '../../json/members.ts';
import { type AnswerNaming, callTool } from '../named-tools.ts';

function readPart(value: unknown): EventTool[] {
  const { functionCall, toolCall, executableCode } = asObject(value);
  return [
    ...callTool('client', asObject(functionCall).name),
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

/** Of an interaction. */
function readStep(value: unknown): EventTool[] {
  const { type, name, server_name: server } = asObject(value);
  if (type === 'function_call') return callTool('client', name);
  if (type === 'mcp_server_tool_call') return callTool('remote_mcp', `${asText(server) ?? ''}.${asText(name) ?? ''}`);
  const kind = /^([a-z_]+)_call$/.exec(asText(type) ?? '')?.[1];
  return kind === undefined ? [] : callTool('hosted', kind);
}

/** An event of an interaction holds a part of one, the result of a batch its answers. */
export const answerNames: AnswerNaming = {
  marks:
    /"(?:functionCall|toolCall|executableCode|webSearchQueries|urlContextMetadata)"\s*:|"type"\s*:\s*"[a-z_]+_call"/,
  read(value) {
    const { candidates, modelVersion, model, interaction, steps, outputs, step, delta, response } = value;
    const whole = asObject(interaction);
    const all = [...asArray(steps ?? outputs), ...asArray(whole.steps ?? whole.outputs), step, delta];
    const { inlinedResponses } = asObject(asObject(response).inlinedResponses);
    const answers = asArray(inlinedResponses).flatMap((item) => asArray(asObject(asObject(item).response).candidates));
    const called = [...[...asArray(candidates), ...answers].flatMap(readCandidate), ...all.flatMap(readStep)];
    return { model: asText(modelVersion) ?? asText(whole.model) ?? asText(model), called };
  },
};
