// npm run soak -- --hours 2 --seed 1: the soak story of `npm run prove` alone, for longer.
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    hours: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '60' },
    seed: { type: 'string' },
  },
});
const minutes = values.hours === undefined ? values.minutes : String(Number(values.hours) * 60);
const lengths = ['--soak-minutes', minutes, '--soak-per-second', values['per-second']];
const seed = values.seed === undefined ? [] : ['--seed', values.seed];
process.argv.splice(2, Number.POSITIVE_INFINITY, '--only', 'soak', ...lengths, ...seed);
await import('../prove/main.ts');
