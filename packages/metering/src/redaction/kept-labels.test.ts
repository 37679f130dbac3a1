import { expect, test } from 'vitest';
import { openRedactor, passFrames } from '../../test/redact.ts';
import { atOnce, replaceInSteps } from './replace-places.ts';
import { searchBytes } from './search-bytes.ts';

const label = '[credit_card k7p2mz]';
const redactor = openRedactor([], { findsLabels: true });

function redactWhole(body: unknown): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  const { config } = redactor;
  const { places } = searchBytes({ bytes, contentType: '', from: 'answer', mayBeText: false, config });
  return JSON.parse(atOnce(replaceInSteps(bytes, places, () => 'VALUE')).toString());
}
const redactFrames = (frames: unknown[]) =>
  passFrames(Object.assign(openRedactor([], { findsLabels: true }), { put: () => 'VALUE' }), frames).passed;

const call = (more: object) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...more }] } }] });
const block = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block });
const item = (more: object) => ({ type: 'response.output_item.done', output_index: 0, item: more });
const parts = (...all: object[]) => ({ candidates: [{ content: { role: 'model', parts: all } }] });

test.each<[string, (text: string) => unknown]>([
  ['an id', (id) => ({ id, choices: [] })],
  ['the id of a call', (id) => call({ id: `call_${id}`, type: 'function' })],
  ['the name of a call', (name) => call({ type: 'function', function: { name: `f_${name}` } })],
  ['an id of audio', (id) => ({ choices: [{ message: { audio: { id, data: '', transcript: '' } } }] })],
  ['the id of an item', (id) => item({ type: 'message', id: `msg_${id}`, content: [] })],
  ['a call by its id', (id) => item({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })],
  ['the name of an item', (name) => item({ type: 'function_call', name: `f_${name}`, arguments: '{}' })],
  ['what is encrypted', (text) => item({ type: 'reasoning', summary: [], encrypted_content: `gAAA${text}` })],
  ['the id of a block', (id) => block({ type: 'tool_use', id: `toolu_${id}`, name: 'f', input: {} })],
  ['the name of a block', (name) => block({ type: 'tool_use', id: 'toolu_1', name, input: {} })],
  ['a redacted thought', (data) => block({ type: 'redacted_thinking', data: `Em${data}` })],
  ['a signature', (signature) => ({ type: 'content_block_delta', delta: { type: 'signature_delta', signature } })],
  ['a result by its id', (id) => block({ type: 'web_search_tool_result', tool_use_id: id, content: [] })],
  ['an encrypted index', (text) => block({ type: 'text', text: '', citations: [{ encrypted_index: `E${text}` }] })],
  ['a container', (id) => ({ type: 'message', container: { id } })],
  ['a call of Gemini', (name) => parts({ functionCall: { id: name, name: `f_${name}`, args: {} } })],
  ['a signature of Gemini', (text) => parts({ text: 'x', thoughtSignature: `E${text}` })],
  ['an answer of Gemini', (responseId) => ({ responseId, candidates: [] })],
  ['a picture', (data) => parts({ inlineData: { mimeType: 'image/png', data: `iVBO${data}Rw0K` } })],
  ['a declared parameter', (name) => ({ tools: [{ parameters: { properties: { [name]: {} } } }] })],
])('labels in %s stay', (_name, write) => {
  const body = write(label);
  expect(redactWhole(body)).toEqual(body);
  expect(redactFrames([body, body])).toEqual([body, body]);
  const cut = [write('a [credit_card k7'), write('p2mz] b')];
  expect(redactFrames(cut)).toEqual(cut);
});

test.each<[string, (text: string) => unknown]>([
  ['arguments', (text) => call({ function: { name: 'f', arguments: JSON.stringify({ id: text, [text]: 1 }) } })],
  ['arguments of Gemini', (text) => parts({ functionCall: { name: 'f', args: { id: text, name: text } } })],
  ['an address', (text) => parts({ fileData: { fileUri: `https://files.example/${text}` } })],
])('labels in %s are put back', (_name, write) => {
  expect(redactWhole(write(label))).toEqual(write('VALUE'));
  expect(redactFrames([write(label)])).toEqual([write('VALUE')]);
});
