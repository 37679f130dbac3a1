// npm run fuzz -- --minutes 10 --seed 1: the fuzz story of `npm run prove` alone, for longer.
import { readArguments } from '../bench/read-arguments.ts';

const { minutes, seed } = readArguments('fuzz', { minutes: 10, seed: '' });
const given = seed === '' ? [] : ['--seed', seed];
process.argv.splice(2, Number.POSITIVE_INFINITY, '--only', 'fuzz', '--fuzz-minutes', String(minutes), ...given);
await import('../prove/main.ts');
