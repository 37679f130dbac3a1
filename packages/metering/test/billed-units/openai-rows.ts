import { sse } from '../measure-call.ts';
import { chat, chatTokens, type Row, tokens } from './row.ts';

const gpt5 = 0.001_25 + 0.001;
const gpt4o = 0.002_5 + 0.001;
const response = (output: object[], more: object = {}) => ({
  body: { model: 'gpt-5', status: 'completed', output, usage: tokens, ...more },
});
const last = ({ body }: { body: object }) => ({ type: 'response.completed', response: body });
const searched = (action = 'search', status = 'completed') => ({
  type: 'web_search_call',
  status,
  action: { type: action },
});
const found = { type: 'file_search_call', status: 'completed' };
const code = (id: string) => ({ type: 'code_interpreter_call', status: 'completed', container_id: id, code: '1' });
const shell = (environment: object) => ({ type: 'shell_call', status: 'completed', environment });
const asks = (type: string, more: object = {}) => ({ tools: [{ type, ...more }] });
const withGpt4o = (tool: string) => response([searched()], { model: 'gpt-4o', ...asks(tool) });
const four = asks('code_interpreter', { container: { type: 'auto', memory_limit: '4g' } });
const drawn = { type: 'image_generation_call', status: 'completed' };
const draws = asks('image_generation', { model: 'gpt-image-1' });
const picture = { image_gen: { input_tokens: 50, output_tokens: 1_000 } };
const done = (item: object) => ({ type: 'response.output_item.done', output_index: 0, item });
const { output: _, ...cut } = response([]).body;
const asked = [{ delta: { content: 'Hi' }, finish_reason: 'stop' }];
const dated = { model: 'gpt-5-search-api-2025-10-14' };

export const rows: Row[] = [
  [
    'web searches',
    'responses',
    response([searched(), searched('open_page'), searched('search', 'failed')]),
    gpt5 + 0.01,
  ],
  [
    'web searches',
    'responses',
    sse(last(response([], { tool_usage: { web_search: { num_requests: 3 } } }))),
    gpt5 + 0.03,
  ],
  ['web searches', 'responses', withGpt4o('web_search'), gpt4o + 0.01],
  ['web searches', 'responses', response([searched()], asks('web_search_preview')), gpt5 + 0.01],
  ['preview searches', 'responses', withGpt4o('web_search_preview_2025_03_11'), gpt4o + 0.025],
  ['search models', 'chat', chat({ model: 'gpt-4o-search-preview' }), gpt4o + 0.025],
  ['search models', 'chat', chat({ model: 'gpt-4o-mini-search-preview-2025-03-11' }), 0.000_15 + 0.000_06 + 0.025],
  [
    'search models',
    'chat',
    sse({ ...dated, choices: asked }, { ...dated, choices: [], usage: chatTokens }),
    gpt5 + 0.01,
  ],
  ['file searches', 'responses', response([found, found, { ...found, status: 'failed' }]), gpt5 + 0.005],
  ['file searches', 'responses', sse(last(response([found]))), gpt5 + 0.0025],
  ['file searches', 'responses', sse(done(found), last({ body: cut })), gpt5 + 0.0025],
  ['code containers', 'responses', response([code('a'), code('a'), code('b')]), gpt5 + 0.06],
  ['code containers', 'responses', response([code('a')], four), gpt5 + 0.12],
  ['code containers', 'responses', response([shell({ type: 'container_reference', container_id: 'c' })]), gpt5 + 0.03],
  [
    'tokens alone',
    'responses',
    response([shell({ type: 'local' }), { type: 'computer_call' }, { type: 'mcp_call' }]),
    gpt5,
  ],
  ['pictures', 'responses', response([drawn], { ...draws, tool_usage: picture }), gpt5 + 0.000_25 + 0.04],
  ['pictures', 'responses', response([drawn], draws), gpt5, 'other_models'],
  [
    'seconds',
    'transcriptions',
    { body: { model: 'whisper-1', text: 'Hi', usage: { type: 'duration', seconds: 60 } } },
    0.006,
  ],
];
