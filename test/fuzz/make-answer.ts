import { deflateSync, gzipSync } from 'node:zlib';
import type { FakeReply, Step } from '@agp/testing/providers';
import {
  type CannedAnswer,
  cannedAnswer,
  chatReply,
  chatStreamReply,
  generateContentReply,
  messageReply,
  messageStreamReply,
  streamGenerateContentReply,
} from '@agp/testing/providers';
import type { PlannedRequest } from './plan-request.ts';

/** An answer as it goes over the wire: a head, then pieces one by one. */
export interface WireAnswer {
  status: number;
  /** Lines of the head, as they are. */
  head: string[];
  pieces: Buffer[];
  /** Words that are billed once so many pieces are out. */
  wordsAfter(pieces: number): number;
  /** `never`: the connection stays open without a byte; `at once`: it ends without one. */
  ends: 'after all' | 'before the last' | 'never' | 'at once';
  /** Refused: neither input nor output is billed. */
  isFree: boolean;
}

function makeReply({ kind, stream, inputWords, outputWords }: PlannedRequest, asksForUsage: boolean): FakeReply {
  const answer: CannedAnswer = {
    ...cannedAnswer,
    model: 'fuzz-1',
    words: Array.from({ length: outputWords }, (_, index) => (index === 0 ? 'beta' : ' beta')),
    input: inputWords,
    output: outputWords,
  };
  if (kind === 'chat') return stream ? chatStreamReply(answer, asksForUsage) : chatReply(answer);
  if (kind === 'messages') return stream ? messageStreamReply(answer) : messageReply(answer);
  return stream ? streamGenerateContentReply(answer) : generateContentReply(answer);
}

/** Names of the members that hold figures, in all three formats. */
const figures = /"(\w*(?:_tokens|TokenCount))":\d+/g;
const usageMembers = /,?"(?:usage|usageMetadata)":\{(?:[^{}]|\{[^{}]*\}|\[[^\]]*\])*\}/g;

function changeFigures(text: string, form: PlannedRequest['answer']): string {
  if (form === 'no usage') return text.replace(usageMembers, '').replaceAll('{,', '{');
  if (form === 'zero usage') return text.replace(figures, '"$1":0');
  if (form === 'huge usage') return text.replace(figures, '"$1":1000000000');
  if (form === 'negative usage') return text.replace(figures, '"$1":-5');
  if (form === 'usage as text') return text.replace(figures, '"$1":"many"');
  // An object that throws where it is put in a text or counted with.
  if (form === 'figures as objects') return text.replace(/":\d+/g, '":{"toString":0,"valueOf":0}');
  return text;
}

function toBytes(body: FakeReply['body']): string[] {
  if (typeof body === 'object' && 'steps' in body) {
    return [...(body.steps as Iterable<Step>)].filter((step): step is string => typeof step === 'string');
  }
  return [JSON.stringify(body)];
}

const countWords = (text: string) => text.split('beta').length - 1;

/** Codings that a server may put on an answer, well or badly. */
const coded: Partial<Record<PlannedRequest['answer'], (body: Buffer) => [string, Buffer]>> = {
  gzip: (body) => ['gzip', gzipSync(body)],
  'broken gzip': (body) => ['gzip', Buffer.concat([gzipSync(body).subarray(0, 30), Buffer.from('broken')])],
  'unknown coding': (body) => ['x-rot13', body],
  'gzip bomb': (body) => ['gzip', gzipSync(Buffer.concat([Buffer.alloc(24 * 1024 * 1024, ' '), body]))],
};

/** How the simulated provider answers this request, decided by the plan alone. */
export function makeAnswer(request: PlannedRequest, asksForUsage: boolean): WireAnswer {
  const { answer, stream, outputWords, dice } = request;
  const reply = makeReply(request, asksForUsage);
  const texts = toBytes(reply.body).map((text) => changeFigures(text, answer));
  let pieces = texts.map((text) => Buffer.from(text));
  const type = stream ? 'text/event-stream' : 'application/json';
  const head = ['x-fake: 1', 'connection: close', `x-request-id: req_${request.id}`];
  const wire: WireAnswer = {
    status: 200,
    head,
    pieces,
    // In a stream words come piece by piece, else all at once.
    wordsAfter: (count) => (stream ? countWords(texts.slice(0, count).join('')) : count > 0 ? outputWords : 0),
    ends: 'after all',
    isFree: false,
  };
  if (answer === 'other type') head.push('content-type: image/png');
  else if (answer !== 'no type') head.push(`content-type: ${type}`);
  const whole = Buffer.concat(pieces);
  const replace = (bytes: Buffer, more: Partial<WireAnswer> = {}): WireAnswer => ({
    ...wire,
    pieces: [bytes],
    wordsAfter: (count) => (count > 0 ? Math.min(outputWords, Math.floor(bytes.length / 8)) : 0),
    ...more,
  });
  const coding = coded[answer]?.(whole);
  if (coding) {
    head.push(`content-encoding: ${coding[0]}`);
    return replace(coding[1]);
  }
  if (answer === 'cut JSON') {
    const cut = whole.subarray(0, dice % whole.length);
    return replace(cut, { wordsAfter: (count) => (count > 0 ? countWords(cut.toString()) : 0) });
  }
  if (answer === 'deep JSON')
    return replace(Buffer.from(`${stream ? 'data: ' : ''}${'[1,'.repeat(10_000)}"x${stream ? '\n\n' : ''}`));
  if (answer === 'not JSON') return replace(deflateSync(whole));
  if (answer === 'empty') return replace(Buffer.alloc(0));
  if (answer === 'cut') return { ...wire, ends: 'before the last' };
  if (answer === 'reset') return { ...wire, pieces: [], ends: 'at once' };
  if (answer === 'hangs') return { ...wire, pieces: [], ends: 'never' };
  if (answer === 'error')
    return replace(Buffer.from('{"error":{"message":"no"}}'), { status: 500 - (dice % 100), isFree: true });
  if (answer === 'bad header') {
    head.push('x-bad: \u0001\u00ff', 'content-length: 5', 'content-length: 6');
    // Nothing behind such a head can be read, not even how much it is: what is promised is the input.
    return { ...wire, wordsAfter: () => 0 };
  }
  if (answer === 'odd status') return { ...wire, status: [203, 206, 226, 299][dice % 4] ?? 203 };
  if (answer === 'tiny pieces') {
    pieces = [...whole].map((byte) => Buffer.of(byte));
    return { ...wire, pieces, wordsAfter: (count) => countWords(whole.subarray(0, count).toString()) };
  }
  return wire;
}
