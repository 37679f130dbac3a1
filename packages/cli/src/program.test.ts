import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';

const program = createProgram({});
const listLeaves = (group: Command, path: string): { path: string; command: Command }[] =>
  group.commands.length === 0
    ? [{ path, command: group }]
    : group.commands.flatMap((command) => listLeaves(command, `${path} ${command.name()}`.trim()));
const leaves = listLeaves(program, '');

function readHelp(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

test('it has every command', () => {
  expect(leaves.map(({ path }) => path).toSorted()).toEqual(
    [
      ...[
        'agents adopt',
        'agents block',
        'agents evidence',
        'agents label',
        'agents list',
        'agents retire',
        'agents show',
        'agents unblock',
        'audit list',
        'audit verify',
      ],
      ...['ack', 'list', 'deliveries list', 'deliveries resend', 'rules silence', 'targets test'].map(
        (name) => `alerts ${name}`,
      ),
      ...['apply', 'delete', 'diff', 'get', 'list'].flatMap((name) => [
        `alerts rules ${name}`,
        `alerts targets ${name}`,
      ]),
      ...[
        ...['apply', 'delete', 'diff', 'explain', 'get', 'list'].map((name) => `budgets ${name}`),
        'budgets set',
        'budgets show',
        'costs breakdown',
        'costs doubtful',
        'costs export',
        'costs reconcile',
        'costs report',
        'costs summary',
        'costs unpriced',
        'costs unrecorded',
        'events list',
        'events show',
        'refusals',
        'why',
        'status',
      ],
      ...['console end', 'console link', 'console sessions'],
      ...['events tail', 'keys create', 'keys delete', 'keys list', 'keys rotate', 'limits set', 'limits show'],
      ...[
        'names list',
        'names release',
        'pause off',
        'pause on',
        'pause status',
        'prices',
        'sessions list',
        'sessions show',
      ],
      ...[
        'apply',
        'delete',
        'diff',
        'except',
        'explain',
        'export',
        'hits',
        'list',
        'mode',
        'preview',
        'show',
        'try',
      ].map((name) => `policies ${name}`),
      ...['apply', 'delete', 'diff', 'list', 'show', 'try'].map((name) => `identities ${name}`),
      ...['sessions verify', 'doctor', 'me', 'token', 'tokens create', 'tokens list', 'tokens revoke'],
    ].toSorted(),
  );
});

test.each(leaves)(
  'the help of $path says what it does, how it connects, and gives an example of it',
  ({ path, command }) => {
    expect(command.description().length).toBeGreaterThan(10);
    const help = readHelp(command);
    expect(help).toContain(command.description().slice(0, 40));
    expect(help).toContain('--key-file');
    expect(help).toContain(`Example:\n  npm run -s agp -- ${path}`);
  },
);

test.each(leaves)('the example of $path is one that it takes', async ({ path, command }) => {
  const [, example = ''] = /Example:\n {2}npm run -s agp -- (.*)/.exec(readHelp(command)) ?? [];
  // A program of its own, whose command only notes that it was reached.
  const fresh = createProgram({});
  let reached = false;
  const target = path
    .split(' ')
    .reduce<Command | undefined>((at, name) => at?.commands.find((each) => each.name() === name), fresh);
  target?.action(() => {
    reached = true;
  });
  await fresh.parseAsync(example.split(' '), { from: 'user' });
  expect(reached).toBe(true);
});
