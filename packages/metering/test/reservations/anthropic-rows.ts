import { doubtfulBounds, longest, type OperationRows, open, unpriced } from './row.ts';

/** Operations in Anthropic's format. */
export const anthropicRows: OperationRows[] = [
  {
    path: '/v1/messages',
    api: 'anthropic',
    rows: [
      [{ model: 'm', max_tokens: 7, messages: [] }, 7, 7],
      [{ model: 'm', messages: [] }, open, longest],
      ...doubtfulBounds('max_tokens'),
      [{ model: 'm', max_tokens: 7, max_tokens_to_sample: 100_000 }, 100_000, /max_tokens_to_sample is not known/],
      [{ model: 'm', max_tokens: 7, n: 100 }, 700, /n is not known/],
      [{ model: 'm', max_tokens: 7, thinking: { type: 'enabled', budget_tokens: 1_000 } }, 1_000, 2_000],
      [{ model: 'm', max_tokens: 7, thinking: { type: 'adaptive' } }, 7, 7],
      [{ model: 'm', max_tokens: 7, speed: 'fast' }, 7, /the service tier has no known price/],
      [{ model: 'm', max_tokens: 7, service_tier: 'standard_only', inference_geo: 'global' }, 7, 7],
      [{ model: 'm', max_tokens: 7, inference_geo: 'us' }, 7.7, 7.7],
      [{ model: 'free', max_tokens: 7, fallbacks: [{ model: 'm', max_tokens: 900 }] }, 900, /fallbacks is not known/],
      [{ model: 'm', max_tokens: 7, fallbacks: [{ model: 'free' }] }, 7, /fallbacks is not known/],
      [{ model: 'm', max_tokens: 7, fallbacks: 'default' }, 7, /fallbacks is not known/],
      [
        { model: 'free', max_tokens: 7, tools: [{ type: 'advisor_20260301', model: 'm', max_tokens: 900 }] },
        900,
        /tools\.0 is a tool/,
      ],
      [{ model: 'm', max_tokens: 7, mcp_servers: [] }, 7, /mcp_servers is not known/],
      [{ model: 'm', max_tokens: 7, container: 'c' }, 7, /container is not known/],
      [{ model: 'm', max_tokens: 7, context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }, 7, 7],
      [
        { model: 'm', max_tokens: 7, context_management: { edits: [{ type: 'compact_20260112' }] } },
        7,
        /context_management/,
      ],
      [
        {
          model: 'm',
          max_tokens: 7,
          tools: [
            { name: 'f', input_schema: {} },
            { type: 'bash_20250124', name: 'bash' },
          ],
        },
        7,
        7,
      ],
      [{ model: 'm', max_tokens: 7, tools: [{ type: 'web_search_20250305', max_uses: 3 }] }, 7, /tools\.0 is a tool/],
      [{ model: 'm', max_tokens: 7, tools: [{ type: 'code_execution_20250825', name: 'c' }] }, 7, /tools\.0 is a tool/],
      [{ model: 'm', max_tokens: 7, tools: [{ type: 'advisor_20260301', name: 'c' }] }, 7, /tools\.0 is a tool/],
    ],
  },
  { path: '/v1/messages/count_tokens', api: 'anthropic', rows: [[{ model: 'm', messages: [] }, 0, 0]] },
  { path: '/v1/messages/batches', api: 'anthropic', rows: [[{ requests: [] }, unpriced, /a batch costs/]] },
];
