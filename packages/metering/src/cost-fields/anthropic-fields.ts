import { type CostFields, type CostRules, each } from './cost-fields.ts';

const messages: CostRules = {
  ...each('content', 'system messages'),
  ...each('text', 'output_config output_format'),
  ...each(
    'free',
    'temperature top_k top_p stop_sequences stream metadata tool_choice cache_control anthropic_version anthropic_beta',
  ),
  model: 'model',
  max_tokens: 'bound',
  thinking: 'thinking',
  tools: 'tools',
  service_tier: 'tier',
  speed: 'speed',
  inference_geo: 'region',
  context_management: 'clearing',
};

/** The members of requests in Anthropic's format, by operation. */
export const anthropicFields: Readonly<Record<string, CostFields>> = {
  messages: { members: messages, writes: 'text' },
};
