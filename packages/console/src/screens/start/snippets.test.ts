import { expect, test } from 'vitest';
import { baseOf, snippets, toolAddress } from './snippets.ts';

test.each(snippets)('$name has the address of this installation and the name of the agent', ({ api, write }) => {
  const base = baseOf('https://proxy.example/', api, false);
  const text = write(base, 'my-agent');
  expect(text).toContain(`https://proxy.example/${api}`);
  expect(text).toContain('my-agent');
});

test.each(snippets)('no name breaks out of its quotes in $name', ({ write }) => {
  const text = write('http://127.0.0.1:8080/openai', `"'; rm -rf ~; '"\n`);
  expect(text).not.toMatch(/^ *rm /m);
  expect(text.includes(`\\"'; rm`) || text.includes(`"'\\''; rm`)).toBe(true);
});

test('the simulated provider takes the place of each real one', () => {
  expect(baseOf('http://127.0.0.1:8080', 'anthropic', true)).toBe('http://127.0.0.1:8080/demo-anthropic');
  expect(toolAddress('http://127.0.0.1:8080', 'my editor', false)).toBe(
    'http://127.0.0.1:8080/agents/my%20editor/openai/v1',
  );
});
