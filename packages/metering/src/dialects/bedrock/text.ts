import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { reasoningEnd } from '../../text/stream-text.ts';
import { collectText, collectToolText } from '../../text/strings.ts';
import type { Write, Writing } from '../../text/writing.ts';

function textsOf({ text, reasoningContent, toolUse, toolResult, citationsContent }: JsonObject): unknown[] {
  const { name, input } = asObject(toolUse);
  const { reasoningText } = asObject(reasoningContent);
  const { content: results } = asObject(toolResult);
  return [asObject(reasoningText).text, text, name, { input }, results, asObject(citationsContent).content];
}

export function readConverseText(body: unknown): Writing {
  const { message } = asObject(asObject(body).output);
  return collectText(asArray(asObject(message).content).flatMap((block) => textsOf(asObject(block))));
}

/** A stream's event. Nova's own puts each into a member of its name. */
export function readConverseDelta(frame: unknown, write: Write): void {
  const event = asObject(frame);
  const { contentBlockIndex, delta, start } = asObject(event.contentBlockDelta ?? event.contentBlockStart ?? event);
  const channel = asName(contentBlockIndex);
  const { text, toolUse, reasoningContent, toolResult } = asObject(delta);
  write(channel, asText(text) ?? asText(asObject(toolUse).input) ?? '');
  write(`${channel}${reasoningEnd}`, asText(asObject(reasoningContent).text) ?? '');
  write(`${channel}.name`, asText(asObject(asObject(start).toolUse).name) ?? '');
  for (const part of collectToolText(toolResult).parts) write(`${channel}.content`, `${part}\n`);
}
