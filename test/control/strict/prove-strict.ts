// Sends many random requests under strict caps to a provider that bills the worst reading of each, and prints what became of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string', default: String(Date.now() % 1e9) } },
});
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  'test/control/strict-caps.test.ts',
  '--disable-console-intercept',
  '-t',
  'random requests',
];
const child = spawn(process.execPath, vitest, {
  stdio: 'inherit',
  env: { ...process.env, PROVE_STRICT_RUNS: values.runs, PROVE_STRICT_SEED: values.seed },
});
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
