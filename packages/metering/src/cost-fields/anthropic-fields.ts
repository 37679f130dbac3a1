import { type CostFields, rules } from './cost-fields.ts';

/** The members of requests in Anthropic's format, by operation. */
export const anthropicFields: Readonly<Record<string, CostFields>> = {
  messages: {
    writes: 'text',
    members: rules({
      model: 'model',
      content: 'system messages',
      text: 'output_config output_format',
      bound: 'max_tokens',
      thinking: 'thinking',
      tools: 'tools',
      tier: 'service_tier',
      speed: 'speed',
      region: 'inference_geo',
      clearing: 'context_management',
      free: `temperature top_k top_p stop_sequences stream metadata tool_choice cache_control anthropic_version
        anthropic_beta`,
    }),
  },
};
