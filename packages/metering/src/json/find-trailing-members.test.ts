import { expect, test } from 'vitest';
import { findTrailingMembers } from './scan.ts';

const find = (tail: string) => findTrailingMembers(Buffer.from(tail));

const members = {
  usage: { input_tokens: 3, output_tokens: 4 },
  model: 'm-1',
  service_tier: 'flex',
  svg_usage: { model: 'm-2' },
  tool_usage: { web_search: { num_requests: 2 } },
  tools: [{ type: 'image_generation', model: 'm-3' }, { note: '],"' }],
};

test('members after the data of a large answer are found, in any order', () => {
  for (const entries of [Object.entries(members), Object.entries(members).reverse()]) {
    const answer = JSON.stringify({ data: ['x'.repeat(100)], ...Object.fromEntries(entries) });
    expect(find(answer.slice(50))).toEqual(members);
  }
});

test('members of something inside of it are not', () => {
  const tail = `xx","tools":[{"model":"m"}],"usage":{"input_tokens":1}}],"object":"list"}`;
  expect(find(tail)).toEqual({});
});

test('members that are cut are not', () => {
  expect(find('3}],"usage":{"input_tokens":1}}')).toEqual({ usage: { input_tokens: 1 } });
  expect(find('"model":"m"}],"object":"list"}')).toEqual({});
});
