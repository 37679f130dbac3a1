import type { EventTool } from '@agp/core/events';
import { asArray, asObject, asText } from '../../json/members.ts';
import { type AnswerNaming, callTool } from '../named-tools.ts';

function readBlock(value: unknown): EventTool[] {
  const { type, name, server_name: server } = asObject(value);
  if (type === 'tool_use') return callTool('client', name);
  if (type === 'server_tool_use') return callTool('hosted', name);
  return type === 'mcp_tool_use' ? callTool('remote_mcp', `${asText(server) ?? ''}.${asText(name) ?? ''}`) : [];
}

/** A stream begins with a message, a line of results holds one. */
export const answerNames: AnswerNaming = {
  marks: /"(?:server_|mcp_)?tool_use"/,
  read(value) {
    const message = asObject(value.message ?? asObject(value.result).message ?? value);
    const called = [...asArray(message.content), value.content_block].flatMap(readBlock);
    return { model: asText(message.model), called };
  },
};
