// npm run fuzz -- --minutes 10 --seed 1: rounds of hostile traffic against the real services, each from a seed that is printed.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const seed = values.seed ?? String(Math.floor(Math.random() * 1e9));
if (!(Number(values.minutes) > 0) || !/^\d+$/.test(seed)) {
  console.error(
    'usage: npm run fuzz -- [--minutes 10] [--seed 1]: minutes must be more than 0, and the seed a whole number',
  );
  process.exit(2);
}
console.log(`seed ${seed}, ${values.minutes} minutes`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/fuzz/fuzz.test.ts', '--disable-console-intercept'],
  {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_MINUTES: values.minutes, FUZZ_SEED: seed },
  },
);
process.exit(status ?? 1);
