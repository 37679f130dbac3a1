import { parseJson } from '@agp/core/json';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { writeMessage, writeMessageFrames } from './anthropic.ts';
import { cutInPieces, type WireAnswer } from './wire-answer.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);

const header = (value: string) => ({ type: 'string' as const, value });

/** A message of AWS' event stream. @param kind `event`, with the event's name, or `exception`, with its */
export function awsFrame(name: string, data: unknown, kind: 'event' | 'exception' = 'event'): Buffer {
  const message = codec.encode({
    headers: {
      [`:${kind}-type`]: header(name),
      ':content-type': header('application/json'),
      ':message-type': header(kind),
    },
    body: Buffer.from(JSON.stringify(data)),
  });
  return Buffer.from(message);
}

/** Frames are padded, so that their length tells nothing of a text. */
const event = (name: string, data: object): Buffer => awsFrame(name, { ...data, p: 'abcdefghijk' });

/** Converse's `inputTokens` leaves out what was read from or written to a cache. */
function toUsage(answer: WireAnswer) {
  const { input: inputTokens, cacheRead, cacheWrite5m, cacheWrite1h } = answer;
  const outputTokens = answer.output + answer.reasoning;
  const written = cacheWrite5m + cacheWrite1h;
  const details = [
    { ttl: '1h', inputTokens: cacheWrite1h },
    { ttl: '5m', inputTokens: cacheWrite5m },
  ];
  return {
    ...{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens + cacheRead + written },
    ...{ cacheReadInputTokens: cacheRead, cacheWriteInputTokens: written },
    cacheDetails: details.filter((each) => each.inputTokens > 0),
  };
}

const toStopReason = ({ isCut, toolCalls }: WireAnswer) =>
  isCut ? 'max_tokens' : toolCalls.length > 0 ? 'tool_use' : 'end_turn';

const toToolUse = ({ id, name }: WireAnswer['toolCalls'][number]) => ({
  toolUseId: `tooluse_${id.replace(/^call_/, '')}`,
  name,
});

/** @param beside members that stand beside the figures */
export function writeConverse(answer: WireAnswer, beside: object = {}): object {
  const spoken = answer.words.length > 0 ? [{ text: answer.words.join('') }] : [];
  const called = answer.toolCalls.map((call) => ({
    toolUse: { ...toToolUse(call), input: parseJson(call.arguments) as object },
  }));
  return {
    metrics: { latencyMs: 12 },
    output: { message: { role: 'assistant', content: [...spoken, ...called] } },
    stopReason: toStopReason(answer),
    usage: toUsage(answer),
    ...beside,
  };
}

/** The same streamed: all figures come in `metadata`, behind `messageStop`. */
export function writeConverseFrames(answer: WireAnswer, beside: object = {}): Buffer[] {
  const spoken =
    answer.words.length > 0 ? [{ start: null, deltas: answer.words.map((text): object => ({ text })) }] : [];
  const called = answer.toolCalls.map((call) => ({
    start: { toolUse: toToolUse(call) },
    deltas: cutInPieces(call.arguments).map((input): object => ({ toolUse: { input } })),
  }));
  return [
    event('messageStart', { role: 'assistant' }),
    ...[...spoken, ...called].flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === null ? [] : [event('contentBlockStart', { contentBlockIndex, start })]),
      ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
      event('contentBlockStop', { contentBlockIndex }),
    ]),
    event('messageStop', { stopReason: toStopReason(answer) }),
    event('metadata', { usage: toUsage(answer), metrics: { latencyMs: 12 }, ...beside }),
  ];
}

/** Claude's own body; its model lacks region and maker. */
export const writeInvoked = (answer: WireAnswer): object => writeMessage(toClaude(answer));

const toClaude = (answer: WireAnswer): WireAnswer => ({
  ...answer,
  model: answer.model.replace(/^.*anthropic\./, '').replace(/-v\d+:\d+$/, ''),
});

/** Claude's own events, each in Base64; the last one repeats the figures. */
export function writeInvokedFrames(answer: WireAnswer): Buffer[] {
  const events = writeMessageFrames(toClaude(answer)).map((frame) => {
    const [, data = ''] = /^data: (.*)$/m.exec(frame) ?? [];
    return parseJson(data) as { type: string };
  });
  const metrics = {
    inputTokenCount: answer.input,
    outputTokenCount: answer.output + answer.reasoning,
    invocationLatency: 12,
    firstByteLatency: 8,
  };
  return events.map((each) => {
    const told = each.type === 'message_stop' ? { ...each, 'amazon-bedrock-invocationMetrics': metrics } : each;
    return event('chunk', { bytes: Buffer.from(JSON.stringify(told)).toString('base64') });
  });
}
