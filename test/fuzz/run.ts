// npm run fuzz -- --minutes 10 --seed 1: the fuzz story of `npm run prove` alone, for longer.
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const seed = values.seed === undefined ? [] : ['--seed', values.seed];
process.argv.splice(2, Number.POSITIVE_INFINITY, '--only', 'fuzz', '--fuzz-minutes', values.minutes, ...seed);
await import('../prove/main.ts');
