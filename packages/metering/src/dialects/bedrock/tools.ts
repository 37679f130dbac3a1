import type { EventTool } from '@agp/core/events';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { type AnswerNaming, callTool, listObjects, nameTool, UnreadTool } from '../named-tools.ts';

/** A tool is named by its only member: the agent runs what it specifies itself, AWS what it calls a system's. */
function readTool(tool: JsonObject): EventTool[] {
  const { toolSpec, systemTool, cachePoint } = tool;
  if (Object.keys(tool).length !== 1) throw new UnreadTool();
  if (toolSpec !== undefined) return [nameTool('client', asObject(toolSpec).name)];
  if (systemTool !== undefined) return [nameTool('hosted', asObject(systemTool).name)];
  if (cachePoint === undefined) throw new UnreadTool();
  return [];
}

/** Tools that messages add; a reference is to one that the request has already. */
const listAdded = (messages: unknown): JsonObject[] =>
  asArray(messages)
    .flatMap((message) => asArray(asObject(message).content))
    .flatMap((block) => asObject(block).toolAddition ?? [])
    .map((added) => asObject(asObject(added).tool))
    .filter((tool) => Object.keys(tool).join() !== 'reference');

/** @throws UnreadTool */
export function readTools({ toolConfig, messages }: JsonObject): EventTool[] {
  const { tools, ...others } = asObject(toolConfig);
  if (Object.keys(others).some((name) => name !== 'toolChoice')) throw new UnreadTool();
  return listObjects([...listObjects(tools), ...listAdded(messages)]).flatMap(readTool);
}

/** Tools of a prompt that is stored at AWS are not known. */
export function refuseTools(): never {
  throw new UnreadTool('modelId');
}

function readCall(value: unknown): EventTool[] {
  const { toolUse } = asObject(value);
  const { name, type } = asObject(toolUse);
  return toolUse === undefined ? [] : callTool(type === 'server_tool_use' ? 'hosted' : 'client', name);
}

/** A whole answer, or an event of a stream. */
export const answerNames: AnswerNaming = {
  marks: ['"toolUse"', '"invokedModelId"'],
  read(value) {
    const { message } = asObject(value.output);
    const { start } = asObject(value.contentBlockStart ?? value);
    const { invokedModelId } = asObject(asObject(value.trace).promptRouter);
    return { model: asText(invokedModelId), called: [...asArray(asObject(message).content), start].flatMap(readCall) };
  },
};
