import { describe, expect, test } from 'vitest';
import { openRedactor, passFrames } from '../../test/redact.ts';
import { atOnce, replaceInSteps } from './replace-places.ts';
import { searchBytes } from './search-bytes.ts';

const value = 'jane.roe@example.com';
const label = '[email k7p2mz]';
const answered = { kinds: [], patterns: [], findsLabels: true };
const asked = { kinds: ['email', 'postal_address'], patterns: [], findsLabels: false };

function change(body: unknown, from: 'request' | 'answer', known: readonly string[] = []): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  const config =
    from === 'answer' ? answered : { ...asked, values: known.map((each) => ({ kind: 'email', value: each })) };
  const { places } = searchBytes({ bytes, contentType: '', from, mayBeText: false, config });
  const put = (_kind: string, found: string, isSigned: boolean) => (isSigned ? null : found === label ? value : label);
  return JSON.parse(atOnce(replaceInSteps(bytes, places, put)).toString());
}
const stream = (frames: unknown[]) =>
  passFrames(
    Object.assign(openRedactor([], answered), {
      put: (_kind: string, _label: string, isSigned: boolean) => (isSigned ? null : value),
    }),
    frames,
  ).passed;

const sealed = 'EqAA';
const google = { extra_content: { google: { thought_signature: sealed } } };
const ofGemini = (...parts: object[]) => ({ role: 'model', parts });
const ofChat = (more: object) => ({ role: 'assistant', ...more });
const ofClaude = (...content: object[]) => ({ role: 'assistant', content });
const args = (who: string) => JSON.stringify({ to: who });

/** What a model said of somebody, signed. */
const said: [name: string, write: (who: string) => object][] = [
  ['a text of Gemini', (who) => ofGemini({ text: `to ${who} now`, thoughtSignature: sealed })],
  [
    'a call of Gemini',
    (who) => ofGemini({ functionCall: { name: 'f', args: { to: [who] } }, thoughtSignature: sealed }),
  ],
  ["a text of Gemini's OpenAI path", (who) => ofChat({ content: `to ${who}`, ...google })],
  [
    "a call of Gemini's OpenAI path",
    (who) =>
      ofChat({ tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args(who) }, ...google }] }),
  ],
  ['a text of a gateway', (who) => ofClaude({ type: 'text', text: `to ${who}`, signature: sealed })],
  [
    'a call of a gateway',
    (who) => ofClaude({ type: 'tool_use', id: 't', name: 'f', input: { to: who }, signature: sealed }),
  ],
];
const thoughts: [name: string, write: (who: string) => object][] = [
  ['a thought', (who) => ofClaude({ type: 'thinking', thinking: `to ${who}`, signature: sealed })],
  ['a thought of Gemini', (who) => ofGemini({ text: `to ${who}`, thought: true, thoughtSignature: sealed })],
  [
    'code of Gemini',
    (who) => ofGemini({ executableCode: { language: 'PYTHON', code: `print("${who}")` }, thoughtSignature: sealed }),
  ],
  [
    'output of Gemini',
    (who) => ofGemini({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: who }, thoughtSignature: sealed }),
  ],
  [
    "a thought of Gemini's OpenAI path",
    (who) => ofChat({ content: `to ${who}`, extra_content: { google: { thought: true, thought_signature: sealed } } }),
  ],
  [
    'a thought of OpenRouter',
    (who) => ofChat({ reasoning_details: [{ type: 'reasoning.text', text: `to ${who}`, signature: sealed }] }),
  ],
];
const told = (who: string) => ({ role: 'user', content: `Mail ${who}` });
const wrap = (one: object) =>
  'parts' in one ? { candidates: [{ content: one }] } : { choices: [{ index: 0, message: one }] };

describe.each(said)('%s', (_name, write) => {
  test('is put back for its agent, and goes to its provider as it was signed', () => {
    expect(change(wrap(write(label)), 'answer')).toEqual(wrap(write(value)));
    expect(stream([wrap(write(label))])).toEqual([wrap(write(value))]);
    const turn = (who: string) => ({ messages: [told(who), write(who), told('me')] });
    expect(change(turn(value), 'request')).toEqual(turn(label));
    const shortened = (who: string) => ({ messages: [write(who), told('me')] });
    expect(change(shortened(value), 'request', [value])).toEqual(shortened(label));
    // It was signed before there was a rule.
    expect(change(shortened(value), 'request')).toEqual(shortened(value));
  });
});

test.each(thoughts)('labels in %s stay, and so does a value', (_name, write) => {
  expect(change(wrap(write(label)), 'answer')).toEqual(wrap(write(label)));
  expect(stream([wrap(write(label))])).toEqual([wrap(write(label))]);
  // The signature may come in a later frame.
  const unsigned = wrap(
    JSON.parse(JSON.stringify(write(label)).replaceAll(/,?"(?:thoughtS|thought_s|s)ignature":"EqAA"/g, '')),
  );
  expect(stream([unsigned, wrap(write(''))])).toEqual([unsigned, wrap(write(''))]);
  const turn = (who: string) => ({ messages: [told(who), write(value)] });
  expect(change(turn(value), 'request')).toEqual(turn(label));
});

test('a value that makes a longer finding with what stands beside is replaced alone', () => {
  const street = '12 Baker Street, London NW1 6XE';
  const write = (where: string) => ({
    contents: [told(where), ofGemini({ text: `at ${where}, Flat 3`, thoughtSignature: sealed })],
  });
  expect(change(write(street), 'request')).toEqual(write(label));
});

test('a value is replaced in signed texts however often another one stands in the body', () => {
  const told = { role: 'user', content: `${'bob@example.com '.repeat(1_200)}${value}` };
  const answer = (who: string) => ofGemini({ text: `see x${who} now`, thoughtSignature: sealed });
  const changed = change({ contents: [told, answer(value)] }, 'request') as { contents: object[] };
  expect(changed.contents[1]).toEqual(answer(label));
});
