// npm run soak -- --hours 2 --seed 1: the soak story of `npm run prove` alone, for longer.
import { readArguments } from '../bench/read-arguments.ts';

const given = readArguments('soak', { hours: 0, minutes: 10, 'per-second': 60, seed: '' });
const minutes = given.hours > 0 ? given.hours * 60 : given.minutes;
const lengths = ['--soak-minutes', String(minutes), '--soak-per-second', String(given['per-second'])];
const seed = given.seed === '' ? [] : ['--seed', given.seed];
process.argv.splice(2, Number.POSITIVE_INFINITY, '--only', 'soak', ...lengths, ...seed);
await import('../prove/main.ts');
