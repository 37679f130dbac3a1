/** The worst that is known for policies: their lists, previews, and what they do to requests and answers. */
import { listRoutes } from '../../../services/management/src/routes/index.ts';
import type { Input } from './input.ts';

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const names = (count: number, own: number | string) => many(count, (at) => `n${own}-${at}`);
const starred = (count: number, own: number) =>
  many(count, (at) => (at < 20 ? `a*${own}*a${at}*a*` : `*a${own}-${at}`));

const calls = many(100, (at) => ({
  id: `call_${at}`,
  type: 'function',
  function: { name: `tool_${at}`, arguments: '{}' },
}));
const reply = {
  type: 'application/json',
  body: JSON.stringify({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', model: 'gpt-5-mini' },
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
};

const functions = (count: number) => many(count, (at) => ({ type: 'function', function: { name: `tool_${at}` } }));
const chat = { model: 'gpt-5-mini', messages: [], max_tokens: 10 };
const servers = many(500, (at) => ({ type: 'url', url: `https://s${at}.example.com/mcp`, name: `server-${at}` }));
const toolsets = many(500, (at) => ({ type: 'mcp_toolset', mcp_server_name: `server-${at}` }));

const api = (name: string, method: string, path: string, body?: object | string, more: Partial<Input> = {}): Input => ({
  ...{ entrance: 'admin key', key: 'admin', name, method, path },
  ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  ...more,
});
const preview = (name: string, policies: readonly object[]): Input =>
  api(`preview: ${name}`, 'POST', '/api/v1/policies/preview', { policies }, { entrance: 'read key', key: 'read' });
const call = (name: string, policies: readonly object[], path: string, body: object): Input => ({
  ...{ entrance: 'agent, tools', name, policies, path, method: 'POST', body: JSON.stringify(body), reply },
});
const chatPath = '/openai/v1/chat/completions';

const named = (at: number) => ({ name: `p${at}`, models: { allow: names(100, at) } });
const tagged = (at: number) => ({
  name: `p${at}`,
  match: { labels: { team: names(60, 'x'.repeat(at % 9)) }, tags: names(60, at) },
});
const tooled = (at: number) => ({ name: `p${at}`, tools: { client: { deny: starred(100, at) } } });
const span = many(25, (at) => `mon-sun ${String(at % 24).padStart(2, '0')}:00-${String(at % 24).padStart(2, '0')}:01`)
  .slice(0, 22)
  .join(',');
const timed = (at: number) => ({ name: `p${at}`, hours: { allow: span, zone: at % 2 ? 'Europe/Berlin' : 'UTC' } });
const short = (at: number) => ({
  name: `p${at}`,
  match: { labels: { a: many(100, () => 'a'), b: many(100, () => 'b'), c: many(100, () => 'c') } },
});
const wide = (at: number) => ({ name: `p${at}`, tools: { client: { allow: ['*'] } }, models: { allow: ['a'] } });
const long = (at: number) => 'x'.repeat(200) + at;
const big = (at: number) => ({
  ...{ name: `p${at}`, mode: 'observe', tools: { client: { deny: names(100, long(at)) } } },
  ...{ match: { not: { agents: names(25, at), labels: { team: names(25, at) } } }, models: { deny: names(25, at) } },
});
const letters = (at: number) => ({
  name: `p${at}`,
  match: { labels: Object.fromEntries(many(75, (label) => [`l${label}`, many(100, () => 'a')])) },
});
const plain = Object.fromEntries(many(990, (at) => [`m${at}`, 'x']));
const denying = many(100, (at) => ({ name: `p${at}`, mode: 'observe', tools: { client: { deny: starred(100, at) } } }));
const ending = many(100, (at) => ({
  name: `p${at}`,
  mode: 'enforce',
  tools: { client: { deny: [`n${at}`] }, hosted: { deny: ['x'] } },
}));
const strip = [
  {
    name: 'strip',
    mode: 'enforce',
    tools: { client: { deny: ['x*'] }, remote_mcp: { hosts: ['*.example.com'] }, on_declared: 'strip' },
  },
];
const filler = JSON.stringify({
  labels: Object.fromEntries(many(9_000, (at) => [`label-${at}`, 'some value'])),
  metadata: names(100, 'x'),
});

export const policyInputs: Input[] = [
  preview('100 policies of 100 models', many(100, named)),
  preview('100 policies of 60 labels and 60 tags', many(100, tagged)),
  preview('25 policies of 100 patterns of many stars', many(25, tooled)),
  preview('100 policies of 22 hours each', many(100, timed)),
  preview('180 KB of names of one letter', many(100, short)),
  preview(
    '100 policies that contradict each other',
    many(100, (at) => ({ ...wide(at), models: { allow: [`a${at}`] }, providers: { allow: [`b${at}`] } })),
  ),
  api('GET policies: 100 of 25 KB', 'GET', '/api/v1/policies', undefined, { policies: many(100, big) }),
  api('GET policies?expand=hits', 'GET', '/api/v1/policies?expand=hits', undefined, { policies: many(100, big) }),
  call('1,000 tools, 100 policies of exact names', many(100, big), chatPath, { ...chat, tools: functions(1_000) }),
  call('100 models, the same policies', many(100, big), chatPath, { ...chat, models: names(99, 'm') }),
  api('GET policies: 100 of 7,500 names', 'GET', '/api/v1/policies', undefined, { policies: many(100, letters) }),
  call('100 policies of 7,500 names', many(100, letters), chatPath, chat),
  call('1,000 tools, 100 policies of 100 starred patterns', denying, chatPath, { ...chat, tools: functions(1_000) }),
  call('100 calls of 1,000 tools in the answer, 100 policies', ending, chatPath, { ...chat, tools: functions(1_000) }),
  call('strip: 500 MCP servers with 500 toolsets', strip, '/anthropic/v1/messages', {
    ...{ ...chat, mcp_servers: servers, tools: [{ name: 'x' }, ...toolsets] },
  }),
  call('strip: 900 functions in a namespace of 990 members', strip, '/openai/v1/responses', {
    ...{ model: 'gpt-5-mini', input: 'x', max_output_tokens: 10 },
    tools: [
      {
        ...plain,
        ...{ type: 'namespace', name: 's' },
        tools: many(900, (at) => ({ type: 'function', name: `${at % 2 ? 'x' : 'y'}${at}` })),
      },
    ],
  }),
  call('strip: 900 functions beside a long choice', strip, chatPath, {
    ...chat,
    tools: many(900, (at) => ({ type: 'function', function: { name: `x${at}` } })),
    tool_choice: { type: 'allowed_tools', tools: many(10_000, (at) => ({ type: 'function', name: `y${at}` })) },
  }),
  ...listRoutes().flatMap(({ method, path, body }) =>
    body
      ? api(
          `${method.toUpperCase()} ${path} with 256 KiB`,
          method.toUpperCase(),
          path.replace(/\{\w+\}/g, 'agt_01k9r3v8w5f2q8m6t4n0x7y1za'),
          filler,
          { policies: [] },
        )
      : [],
  ),
];
