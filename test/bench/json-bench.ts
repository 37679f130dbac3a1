/**
 * What it costs to bound how deep JSON nests before it is parsed: `parseJson` beside the runtime's own parser alone, on the same bytes
 * in the same run. Rounds take turns, and medians are compared.
 */
import { readFileSync } from 'node:fs';
import { maxJsonDepth, parseJson } from '@agp/core/json';
import { findOutlineFault, hasMoreBrackets } from '../../packages/core/src/json.ts';
import { makeBenchText } from './pii-bench-text.ts';
import { readArguments } from './read-arguments.ts';

const { rounds } = readArguments('bench:json', { rounds: 15 });
/** Bytes that are parsed in each round. */
const perRound = 4_000_000;

const text = makeBenchText(1_200_000);
const tools = Array.from({ length: 10 }, (_, index) => ({
  type: 'function',
  function: { name: `tool_${index}`, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}));
const chat = (size: number, each: number, more: object = {}) => ({
  model: 'gpt-5-mini',
  messages: Array.from({ length: Math.ceil(size / each) }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: text.slice(index * each, (index + 1) * each),
  })),
  ...more,
});
const bodies: Record<string, object> = {
  'a frame of a stream': {
    id: 'chatcmpl-1',
    choices: [{ index: 0, delta: { content: ' hello' }, finish_reason: null }],
  },
  'a chat of 1 KB': chat(1_000, 250),
  'a chat of 20 KB with tools': chat(20_000, 1_000, { tools }),
  'a chat of 200 KB with tools': chat(200_000, 2_000, { tools }),
  'a chat of 1 MB of long texts': chat(1_000_000, 50_000),
  'a chat of 1 MB of code': {
    messages: Array.from({ length: 200 }, () => ({
      role: 'tool',
      content: readFileSync(import.meta.filename, 'utf8'),
    })),
  },
  'an image of 1 MB': chat(1_000, 250, { image: 'A'.repeat(1_000_000) }),
  '1 MB of vectors': {
    data: Array.from({ length: 100 }, (_, i) => Array.from({ length: 500 }, (_, j) => 1 / (i + j + 2))),
  },
  '1 MB of many small values': { data: Array.from({ length: 50_000 }, (_, index) => ({ id: index, name: 'x' })) },
};

const medianOf = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Microseconds that one call takes. */
function time(run: () => unknown, calls: number): number {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) run();
  return ((performance.now() - start) * 1_000) / calls;
}

console.log(`medians of ${rounds} rounds\n`);
console.log(`${'body'.padEnd(32)} bytes     parse alone   bounded   of the parse`);
for (const [name, body] of Object.entries(bodies)) {
  const bytes = Buffer.from(JSON.stringify(body));
  const calls = Math.max(1, Math.round(perRound / bytes.length));
  const decoded = bytes.toString();
  const alone: number[] = [];
  const scan: number[] = [];
  const both: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const times = [
      time(() => JSON.parse(bytes.toString()), calls),
      time(() => hasMoreBrackets(decoded, maxJsonDepth) && findOutlineFault(decoded, maxJsonDepth), calls),
      time(() => parseJson(bytes), calls),
    ];
    // The first round is for the compiler.
    if (round === 0) continue;
    for (const [index, list] of [alone, scan, both].entries()) list.push(times[index] as number);
  }
  const part = (100 * medianOf(scan)) / medianOf(alone);
  const figures = `${medianOf(alone).toFixed(1).padStart(9)} us ${medianOf(both).toFixed(1).padStart(9)} us`;
  console.log(`${name.padEnd(32)} ${String(bytes.length).padStart(7)} ${figures} ${part.toFixed(1).padStart(7)} %`);
}
