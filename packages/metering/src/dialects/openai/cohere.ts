import { asObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { Write } from '../../text/writing.ts';
import { cohereChat as cohereBounds } from './bounds.ts';
import { describeOperation, type Figures } from './describe-operation.ts';
import * as members from './members.ts';
import { EventStreamReader, noOutput } from './stream.ts';
import { answerNames, readTools } from './tools.ts';
import { readUsageFigures } from './usage.ts';

/** What Cohere bills stands beside what it counted, in the answer or in the last event. */
function readBilledUnits(answer: unknown): Figures {
  const { usage, meta, delta } = asObject(answer);
  const { billed_units: billed } = asObject(usage ?? meta ?? asObject(delta).usage);
  return readUsageFigures(billed && { output_tokens: 0, ...asObject(billed) });
}

function readEvent(event: unknown, write: Write): void {
  const { content, tool_plan: plan, tool_calls: calls } = asObject(asObject(asObject(event).delta).message);
  for (const part of collectText(content, plan, calls).parts) write('', part);
}

/** `/v1/chat` and `/v2/chat`. */
export const cohereChat = describeOperation({
  name: 'cohere.chat',
  bounds: cohereBounds,
  known: members.cohereChat,
  stores: { members: 'conversation_id' },
  input: ['messages', 'message', 'preamble', 'chat_history', 'documents', 'tools'],
  readTools,
  // Calls stand in the message, at the root of an older answer, or in an event's delta.
  answerNames: {
    ...answerNames,
    read({ message, tool_calls: calls, tool_call_delta: piece, delta, response, model }) {
      const { message: within } = asObject(delta);
      const ended = asObject(response);
      const all = [message, within, ended, { tool_calls: calls }, { tool_calls: piece }].map(asObject);
      const called = all.flatMap(({ tool_calls: each }) => [each].flat().filter(Boolean));
      return answerNames.read({ model: model ?? ended.model, choices: [{ message: { tool_calls: called } }] });
    },
  },
  readFigures: readBilledUnits,
  readText(answer) {
    const { message, text } = asObject(answer);
    return collectText(text, asObject(message).content, asObject(message).tool_plan, asObject(message).tool_calls);
  },
  createStreamReader: () =>
    new EventStreamReader({ endings: ['message-end'], readFigures: readBilledUnits, readText: readEvent }),
});

/** `/v1/embed` and `/v2/embed`. */
export const cohereEmbed = describeOperation({
  name: 'cohere.embed',
  known: members.cohereEmbed,
  ...noOutput,
  input: ['texts', 'inputs'],
  readFigures: readBilledUnits,
});
