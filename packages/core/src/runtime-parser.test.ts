import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/**
 * Broken JSON, and how the runtime's own parser is tried at it. Node 26.0 to 26.10 lose their way in what lies 8,192 levels
 * deep: the next collection of garbage ends the process. Where it comes by itself that takes thousands of tries.
 */
const broken = {
  'lists that end in an open string': `'[1,'.repeat(10_000) + '"x'`,
  'objects in lists that end in half a word': `'[1,{"a":'.repeat(5_000) + 'tru'`,
  'a whole list with a word behind it': `'[1,'.repeat(10_000) + '1' + ']'.repeat(10_000) + 'x'`,
  'one wide list': `'[' + '{"a":[1]},'.repeat(10_000) + '"x'`,
};

const program = (body: string) => `
const body = Buffer.from(${body});
let refused = 0;
for (let round = 0; round < 20; round += 1) {
  try { JSON.parse(body.toString()); } catch { refused += 1; }
  gc();
}
console.log(refused);
`;

test.each(Object.entries(broken))('the pinned runtime itself refuses %s, and lives', async (_, body) => {
  const child = spawn(process.execPath, ['--expose-gc', '--eval', program(body)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output.trim()).toBe('20');
});
