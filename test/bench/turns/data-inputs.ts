/** The worst that is known for what rules of data search, by entrance. */
import type { Input } from './input.ts';

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const filled = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Texts of a length, each the slowest of its kind. */
const texts = {
  words: (length: number) => filled('lorem ipsum dolor sit amet ', length),
  digits: (length: number) => filled('4111 1111 1111 ', length),
  addresses: (length: number) => filled('a.b-c@mail.example.com ', length),
  entities: (length: number) => filled('&#52;&#49;&nbsp;x ', length),
};

const pii = (request: object, more: object = {}) => ({ name: 'data', mode: 'enforce', pii: { request, ...more } });
const email = pii({ email: 'redact' }, { response: { email: 'redact' } });
const all = pii({ all: 'redact' }, { response: { all: 'redact' } });
/** Its models must be sure, and what it may cost. */
const named = { name: 'named', mode: 'enforce', models: { deny: ['x'] }, limits: { max_cost_usd: 1_000 } };
/** As many patterns as an installation may have, each as costly as it may be, and a team's. */
const hostile = (count: number) =>
  many(count, (at) => ({
    ...pii(
      { all: 'redact' },
      {
        response: { all: 'redact' },
        patterns: [
          {
            name: 'own',
            pattern: `(?i)(?:[a-z ]{1,${58 + at}})[a-z ]{1,60}#`,
            longest: 3,
            matches: ['ab#'],
            ignores: ['a'],
          },
          { name: 'fails', pattern: `[a-z ]{1,${10 + at}}#|Q[a-z ]`, longest: 12, matches: ['a#'], ignores: ['A'] },
        ],
      },
    ),
    name: `data-${at}`,
  }));

/** Objects inside each other under long names, and strings in the innermost. */
function nest(depth: number, name: number, strings: number): object {
  let inner: object = Object.fromEntries(many(strings, (at) => [`s${at}`, `x${at}`]));
  for (let at = 0; at < depth; at += 1) inner = { [`${'n'.repeat(name)}${at}`]: inner };
  return inner;
}

const chat = (content: string, more: object = {}) =>
  JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }], max_tokens: 10, ...more });
const path = '/openai/v1/chat/completions';
const toProxy = (
  entrance: string,
  name: string,
  policies: readonly object[],
  body: () => string,
  more: Partial<Input> = {},
) => ({
  ...{ entrance, name, policies, path, method: 'POST', body },
  ...more,
});

const toFrames = (frames: readonly object[]) => frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
const delta = (content: string) => ({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] });
const streamed = (name: string, policies: readonly object[], frames: () => readonly object[]) =>
  toProxy('answer, streamed', name, policies, () => chat('x', { stream: true }), {
    reply: { type: 'text/event-stream', body: () => `${toFrames(frames())}data: [DONE]\n\n` },
  });
const whole = (name: string, policies: readonly object[], body: () => object) =>
  toProxy('answer, whole', name, policies, () => chat('x'), {
    reply: { type: 'application/json', body: () => JSON.stringify(body()) },
  });

/** @param check its address */
export function listDataInputs(check: string): Input[] {
  const checked = { name: 'checked', mode: 'enforce', check: { url: check, timeout_ms: 10_000, response: true } };
  const lines = many(2_000, (at) => ({ role: 'user', content: `${at} word` }));
  return [
    ...[
      [10, 5, 400],
      [200, 400, 2_000],
    ].map(([, name = 0, strings = 0]) =>
      toProxy('agent, body', `a check: 480 objects under names of ${name}, ${strings} strings`, [checked], () =>
        chat('x', { metadata: nest(480, name, strings) }),
      ),
    ),
    toProxy('agent, body', 'email: 480 objects under names of 200, 1,500 strings', [email], () =>
      chat('x', { metadata: nest(480, 200, 1_500) }),
    ),
    ...Object.entries(texts).map(([name, make]) =>
      toProxy('agent, body', `all types: 8 MB of ${name}`, [all], () => chat(make(8_000_000))),
    ),
    toProxy('agent, body', 'all types: 15.8 KB of digits', [all], () => chat(texts.digits(15_800))),
    toProxy('agent, body', "no rule: a member's name of 30 MB", [], () => chat('x', { ['k'.repeat(30_000_000)]: 1 })),
    toProxy('agent, body', 'no rule: 30 MB of words', [], () => chat(texts.words(30_000_000))),
    ...[4_000_000, 30_000_000].map((length) =>
      toProxy('agent, body', `models and cost: ${length / 1e6} MB of words`, [named], () => chat(texts.words(length))),
    ),
    ...[15_000, 200_000].map((length) =>
      toProxy('agent, body', `the costliest patterns: ${length} characters of words`, hostile(2), () =>
        chat(texts.words(length)),
      ),
    ),
    streamed(
      'payment_card: 5,000 frames of digits',
      [pii({ email: 'flag' }, { response: { payment_card: 'redact' } })],
      () => many(5_000, () => delta('4111 ')),
    ),
    streamed('all types: 20,000 frames of digits', [all], () => many(20_000, () => delta('4111 '))),
    ...Object.entries(texts).map(([name, make]) =>
      streamed(`all types: a frame of 990,000 characters of ${name}`, [all], () => [delta(make(990_000))]),
    ),
    streamed('no rule: a frame of 640,000 members', [], () => [
      { ...delta('x'), ...Object.fromEntries(many(640_000, (at) => [`k${at}`, 1])) },
    ]),
    streamed('all types: three frames that repeat 600,000 characters', [all], () =>
      many(3, () => ({ type: 'response.created', response: { instructions: texts.words(600_000) } })),
    ),
    streamed('the costliest patterns: a frame of 6,000 characters', hostile(2), () => [delta(texts.words(6_000))]),
    streamed('the costliest patterns: 500 frames of words', hostile(2), () => many(500, () => delta('lorem '))),
    whole('all types: 15 MB of digits', [all], () => ({
      choices: [{ index: 0, message: { content: texts.digits(15_000_000) } }],
    })),
    whole('email: a million values', [email], () => ({ choices: many(990_000, () => 1) })),
    toProxy(
      'check',
      'its answer names 4,000 places of 2,000 texts',
      [checked],
      () => chat('x', { messages: lines.slice(0, 1_900) }),
      {
        check: JSON.stringify({
          action: 'redact',
          findings: many(3_000, (at) => ({
            id: at >> 1,
            start: at % 2,
            end: (at % 2) + 1,
            kind: 'k',
            replace: 'r'.repeat(20),
          })),
        }),
      },
    ),
  ];
}

const classes = many(40, (at) => `\\pL{${100 + at}}`);
/** Patterns that are meant to be slow, to try and to preview. */
const slow = many(19, (at) => ({
  name: `p${at}`,
  pii: {
    request: { all: 'block' },
    patterns: many(4, (own) => ({
      name: `own_${own}`,
      pattern: `(?i)(?:[a-z]{1,1000}){1}[a-z]{1,1000}[a-z]{1,${980 + own + at}}#`,
      ...{ longest: 1, matches: ['a'.repeat(500)], ignores: many(5, () => 'a'.repeat(500)) },
    })),
  },
}));
const wide = many(19, (at) => ({
  name: `p${at}`,
  pii: {
    request: { own: 'block' },
    patterns: [
      { name: 'own', pattern: `${classes.join('|')}{${at + 1}}`, longest: 1_000, matches: ['a'], ignores: ['1'] },
    ],
  },
}));

export const patternInputs: Input[] = (['read', 'team'] as const).flatMap((key) =>
  ['try', 'preview'].flatMap((action) =>
    Object.entries({ slow, wide }).map(([name, policies]) => ({
      ...{
        entrance: `${key} key`,
        name: `${action}: 19 policies of ${name === 'slow' ? '76 patterns' : 'classes'} that take long`,
        key,
      },
      ...{ path: `/api/v1/policies/${action}`, method: 'POST' },
      body: JSON.stringify({ policies, ...(action === 'try' && { text: texts.words(4_000) }) }),
    })),
  ),
);
