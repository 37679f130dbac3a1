import { judgeBody, prepareRules } from '@agp/policy';
import { readPolicy } from '@agp/policy/yaml';
import { expect, test } from 'vitest';
import { applyTemplate } from './templates.ts';

test.each([
  ['client', 'shell run_shell_command local_shell bash Bash exec exec_command run_terminal_cmd'],
  ['hosted', 'shell local_shell bash bash_code_execution code_interpreter code_execution code_execution_20250825'],
])('the template without a shell denies each %s tool that runs commands', (kind, names) => {
  const { policy } = readPolicy(applyTemplate('name: x\n', 'no-shell', ''));
  const rules = prepareRules(1, [{ version: 1, policy }] as never);
  const listRules = (name: string) =>
    judgeBody(rules, { at: 0, tools: [{ kind, names: [name] }] } as never).map(({ rule }) => rule);
  for (const name of names.split(' ')) expect([name, ...listRules(name)]).toEqual([name, `tools.${kind}`]);
  expect(listRules('web_search')).toEqual([]);
});
