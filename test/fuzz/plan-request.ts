import fc from 'fast-check';
import { type BodyForm, bodyForms, type TargetForm, targetForms } from './request-forms.ts';

/** A model call that the fuzzer knows how to ask for, and the simulated provider how to answer. */
export const kinds = ['chat', 'messages', 'generate'] as const;
export type Kind = (typeof kinds)[number];

/** How the simulated provider answers; all but errors are billed. */
export const answerForms = [
  ...([
    'honest',
    'no usage',
    'zero usage',
    'huge usage',
    'negative usage',
    'usage as text',
    'figures as objects',
    'other type',
    'no type',
  ] as const),
  ...(['cut JSON', 'deep JSON', 'not JSON', 'empty', 'gzip', 'broken gzip', 'unknown coding', 'gzip bomb'] as const),
  ...(['cut', 'reset', 'hangs', 'error', 'bad header', 'no length', 'odd status', 'tiny pieces'] as const),
] as const;
export type AnswerForm = (typeof answerForms)[number];

/** What the agent does with its connection. */
export const manners = ['reads all', 'leaves once sent', 'leaves while sending', 'leaves while reading'] as const;
export type Manner = (typeof manners)[number];

/** One request of a round, with all that happens to it. Everything follows from the round's seed. */
export interface PlannedRequest {
  /** Also the request's session, so that its event is found again. */
  id: string;
  kind: Kind;
  stream: boolean;
  /** Words of input and output: each is billed as one token, and every tokenizer makes at least one of it. */
  inputWords: number;
  outputWords: number;
  agent: string;
  method: string;
  target: TargetForm;
  headers: readonly (readonly [string, string])[];
  body: BodyForm;
  framing: 'length' | 'chunked' | 'too short' | 'too long';
  manner: Manner;
  answer: AnswerForm;
  /** Chooses where things are cut and which character is changed. */
  dice: number;
}

export const agents = ['fz-free', 'fz-also-free', 'fz-capped', 'fz-poor'] as const;

/** Mostly the first: what is odd in everything at once is refused for the first thing. */
const mostly = <Value>(usual: Value, others: readonly Value[], weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const oddHeaders: readonly (readonly [string, string])[] = [
  ['Accept-Encoding', 'gzip, br, zstd, deflate'],
  ['Accept-Encoding', 'identity;q=0, *'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Connection', 'close'],
  ['Connection', 'x-fuzz-id, x-agent-name'],
  ['Expect', '100-continue'],
  ['Expect', 'the unexpected'],
  ['Host', 'evil.example'],
  ['Origin', 'https://evil.example'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Upgrade', 'h2c'],
  ['TE', 'trailers, chunked'],
  ['Transfer-Encoding', 'chunked, identity'],
  ['X-HTTP-Method-Override', 'POST'],
  ['X-Agent-Name', 'another'],
  ['X-Agent-Token', 'agp_not-a-token'],
  ['X-Compliance-Tag', 'pci'],
  ['X-Compliance-Tag', '\u0000\u001b[2J'],
  ['X-Request-Id', '\u007f\u0085 log me'],
  ['X-Forwarded-For', '1.2.3.4, \u00ff'],
  ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ['X-Long', 'x'.repeat(15_000)],
  ['X-Odd: ', 'name'],
  ['Range', 'bytes=0-5'],
];

const methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'post', 'BREW'];

const request = fc.record({
  kind: fc.constantFrom(...kinds),
  stream: fc.boolean(),
  inputWords: fc.integer({ min: 1, max: 200 }),
  outputWords: fc.integer({ min: 1, max: 120 }),
  agent: fc.constantFrom(...agents),
  method: mostly('POST', methods, 20),
  target: mostly<TargetForm>('plain', targetForms, 3),
  headers: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 }) },
  ),
  body: mostly<BodyForm>('plain', bodyForms, 2),
  framing: mostly<PlannedRequest['framing']>('length', ['chunked', 'too short', 'too long'], 5),
  manner: mostly<Manner>('reads all', manners, 2),
  answer: mostly<AnswerForm>('honest', answerForms, 1),
  dice: fc.nat(),
});

/** The requests of the round with this seed, the same each time. */
export function planRequests(seed: number, count: number): PlannedRequest[] {
  return fc.sample(request, { seed, numRuns: count }).map((planned, index) => ({
    ...planned,
    id: `ses_fz-${seed}-${index}`,
  }));
}
