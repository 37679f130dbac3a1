import { expect, test } from 'vitest';
import { bedrock } from './operations.ts';

const read = (path: string, body: object) => {
  try {
    return bedrock
      .match(path, 'POST')
      ?.readTools?.(body as never)
      .map(({ kind, names }) => `${kind} ${names[0]}`);
  } catch {
    return 'unread';
  }
};

const spec = (name: string) => ({ toolSpec: { name } });
const added = (tool: object) => ({ messages: [{ role: 'system', content: [{ toolAddition: { tool } }] }] });

test.each<[object, string[] | string]>([
  [{}, []],
  [{ toolConfig: { tools: [spec('a'), { cachePoint: { type: 'default' } }] } }, ['client a']],
  [{ toolConfig: { tools: [{ systemTool: { name: 's' } }] } }, ['hosted s']],
  [{ toolConfig: { tools: [{ ...spec('a'), systemTool: { name: 's' } }] } }, 'unread'],
  [{ toolConfig: { tools: [{ cachePoint: {}, mcpTool: { name: 'm' } }] } }, 'unread'],
  [{ toolConfig: { tools: [{}] } }, 'unread'],
  [{ toolConfig: { tools: [], servers: [] } }, 'unread'],
  [added({ reference: { name: 'a' } }), []],
  [added(spec('b')), ['client b']],
  [added({ reference: null, ...spec('b') }), 'unread'],
])('Converse with %j offers %j', (body, tools) => {
  expect(read('/model/m/converse', body)).toEqual(tools);
});

const hidden = `/model/${encodeURIComponent('arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc')}`;

test.each<[object, string[] | string]>([
  [{ tools: [{ name: 'a', input_schema: {} }] }, ['client a']],
  [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'unread'],
  [{ messages: [{ role: 'user', tools: [] }] }, 'unread'],
  [added(spec('a')), 'unread'],
])('Invoke of a model that its ARN hides, with %j, offers %j', (body, tools) => {
  expect(read(`${hidden}/invoke`, body)).toEqual(tools);
});

test('a prompt that is stored at AWS may offer any tool', () => {
  const prompt = encodeURIComponent('arn:aws:bedrock:us-east-1:123456789012:prompt/P:1');
  expect(read(`/model/${prompt}/converse`, {})).toBe('unread');
});

test.each(['amazon.nova-canvas-v1%3A0', 'anthropic.claude-v2%3A1', 'meta.llama3-70b-instruct-v1%3A0'])(
  'nothing reads what Invoke of %s says',
  (model) => {
    expect(bedrock.match(`/model/${model}/invoke`, 'POST')).toBeNull();
    expect(bedrock.match(`/model/${model}/converse`, 'POST')?.name).toBe('converse');
  },
);
