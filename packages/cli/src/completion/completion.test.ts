import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createProgram } from '../create-program.ts';
import { listPlaces } from './list-places.ts';
import { type ShellName, shells, writeCompletion } from './write-completion.ts';

const places = listPlaces(createProgram({}));
const runs = (shell: ShellName) => spawnSync(shell, ['-c', 'true']).status === 0;
const run = (shell: ShellName, script: string, args: string[] = []) => {
  const { status, stdout, stderr } = spawnSync(shell, [...args, '-c', script], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim().split(/\s+/);
};

const lines = [
  { typed: ['agents', 'b'], offered: ['block'] },
  { typed: ['--url', 'http://host', 'agents', 'list', '--status', ''], offered: ['active', 'blocked', 'retired'] },
  { typed: ['agents', 'block', 'my-editor', '--rea'], offered: ['--reason'] },
  { typed: ['completion', 'z'], offered: ['zsh'] },
  // An option's value is not completed, even where a command begins alike.
  { typed: ['events', 'list', '--agent', 'a'], offered: [''] },
];

test.each(lines)('bash completes $typed', ({ typed, offered }) => {
  const words = ['agp', ...typed].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _agp; echo "\${COMPREPLY[*]}"`;
  expect(run('bash', `${writeCompletion('bash', places)}\n${ask}`, ['--norc'])).toEqual(offered);
});

test.skipIf(!runs('fish')).each(lines)('fish completes $typed', ({ typed, offered }) => {
  const ask = `complete -C 'agp ${typed.join(' ')}' | string replace -r '\\t.*' ''; true`;
  const found = run('fish', `function agp; end\n${writeCompletion('fish', places)}\n${ask}`, ['--no-config']);
  expect(found.filter((word) => !/[/.]/.test(word))).toEqual(offered);
});

test.skipIf(!runs('zsh'))('zsh reads the script', () => {
  run('zsh', `compdef() { :; }\n${writeCompletion('zsh', places)}`, ['-f']);
});

test.each(shells)('the script for %s has every command and option, and needs no running server', (shell) => {
  const script = writeCompletion(shell, places);
  for (const { words, options } of places) {
    for (const { name } of words) expect(script).toContain(name);
    for (const { flag } of options) expect(script).toContain(shell === 'fish' ? `-l ${flag.slice(2)}` : flag);
  }
});

test('no option takes a value in one command and none in another: the scripts could not tell them apart', () => {
  const kinds = Map.groupBy(
    places.flatMap(({ options }) => options),
    ({ flag }) => flag,
  );
  for (const [flag, options] of kinds)
    expect([flag, new Set(options.map(({ takesValue }) => takesValue)).size]).toEqual([flag, 1]);
});
