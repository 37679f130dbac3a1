import { expect, test } from 'vitest';
import { listCompletions, listPath } from './complete-policy.ts';

test('completion offers the members and values of the place', () => {
  const at = (before: string) => listCompletions(before).map(({ label }) => label);
  expect(at('na')).toContain('name');
  expect(at('name: x\nmode: ')).toEqual(['observe', 'warn', 'enforce']);
  expect(at('match:\n  not:\n    ')).toEqual(['agents', 'labels', 'tags', 'providers']);
  expect(at('tools:\n  client:\n    deny: [a]\n  on_call: b')).toEqual(['record', 'block']);
  expect(at('limits: { max_output_tokens: 20, ')).toContain('max_cost_usd');
  expect(at('limits: { max_output_tokens: 20, over: ')).toEqual(['refuse', 'lower']);
  expect(at('models:\n  allow: [a')).toEqual([]);
  expect(at('constructor:\n  ')).toEqual([]);
  expect(listPath('tools:\n  client: { deny: [a] }\n  hosted: { allow: [{')).toEqual(['tools', 'hosted', '']);
});
