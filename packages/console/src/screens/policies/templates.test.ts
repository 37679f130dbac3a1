import { judgeBody, prepareRules } from '@agp/policy';
import { readPolicy } from '@agp/policy/yaml';
import { expect, test } from 'vitest';
import { applyTemplate } from './templates.ts';

const usual = {
  agent: 'a',
  labels: {},
  tag: 'default',
  provider: 'openai',
  operations: ['responses'],
  at: 0,
  models: [],
};
const { policy } = readPolicy(applyTemplate('name: x\n', 'no-shell', ''));

test.each([
  [
    'client',
    'shell run_shell_command local_shell PowerShell bash Bash exec exec_command execute_command run_terminal_cmd',
  ],
  ['hosted', 'shell local_shell bash bash_code_execution code_interpreter code_execution code_execution_20250825'],
] as const)('the template without a shell denies each %s tool that runs commands', (kind, names) => {
  const listRules = (name: string) => {
    const tools = [{ kind, names: [name] }];
    return judgeBody(prepareRules(1, [{ version: 1, policy }] as never), { ...usual, tools } as never).map(
      ({ rule }) => rule,
    );
  };
  for (const name of names.split(' ')) expect([name, ...listRules(name)]).toEqual([name, `tools.${kind}`]);
  expect(listRules('web_search')).toEqual([]);
});
