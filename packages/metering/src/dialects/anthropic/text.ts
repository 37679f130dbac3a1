import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText, collectToolText } from '../../text/strings.ts';
import type { Write, Writing } from '../../text/writing.ts';

function textsOf({ thinking, text, name, input, content }: JsonObject): unknown[] {
  return [thinking, text, name, { input }, content];
}

export function readMessageText(body: unknown): Writing {
  return collectText(asArray(asObject(body).content).flatMap((block) => textsOf(asObject(block))));
}

export function readMessageDelta(frame: unknown, write: Write): void {
  const { index, content_block: block, delta } = asObject(frame);
  const { text, thinking, partial_json: input, content } = asObject(delta);
  const channel = asName(index);
  write(channel, asText(text) ?? asText(thinking) ?? asText(input) ?? asText(content) ?? '');
  if (block !== undefined) writeBlockStart(channel, asObject(block), write);
}

/** A block begins empty and is filled by deltas; answers of the provider's tools, and some servers' calls, come whole. */
function writeBlockStart(channel: string, block: JsonObject, write: Write): void {
  write(channel, asText(block.text) ?? asText(block.thinking) ?? '');
  write(`${channel}.name`, asText(block.name) ?? '');
  for (const part of collectToolText(block.input).parts) write(`${channel}.input`, `${part}\n`);
  for (const part of collectText(block.content).parts) write(`${channel}.content`, `${part}\n`);
}

export function readResultText(line: unknown, write: Write): void {
  const { parts } = readMessageText(asObject(asObject(line).result).message);
  // The channels of a stream are few, the lines of a file are many: one channel, a text a line.
  for (const part of parts) write('results', `${part}\n`);
}
