import { type CostFields, type CostRules, each } from './cost-fields.ts';

const settings: CostRules = {
  ...each(
    'free',
    `temperature top_p top_k seed stop_sequences presence_penalty frequency_penalty response_mime_type response_logprobs
     logprobs media_resolution speech_config image_config audio_timestamp enable_enhanced_civic_answers thinking_level
     thinking_summaries tool_choice`,
  ),
  ...each('text', 'response_schema response_json_schema'),
  candidate_count: 'answers',
  max_output_tokens: 'bound',
  thinking_config: 'thinking',
  response_modalities: 'modalities',
};

const generate: CostRules = {
  ...each('content', 'contents system_instruction'),
  ...each('free', 'safety_settings tool_config labels'),
  generation_config: 'settings',
  tools: 'tools',
  cached_content: 'reference',
  service_tier: 'tier',
};

const embed: CostRules = {
  ...each('free', 'task_type output_dimensionality auto_truncate'),
  content: 'items',
  title: 'text',
  model: 'model',
};

const interactions: CostRules = {
  ...each('content', 'input system_instruction'),
  ...each('free', 'stream store background'),
  ...each('text', 'response_format'),
  response_mime_type: 'free',
  response_modalities: 'modalities',
  generation_config: 'settings',
  model: 'model',
  tools: 'tools',
  previous_interaction_id: 'reference',
  service_tier: 'tier',
};

/** The members of requests in Gemini's format, by operation. */
export const geminiFields: Readonly<Record<string, CostFields>> = {
  generateContent: { members: generate, settings, writes: 'text', isEitherCase: true },
  streamGenerateContent: { members: generate, settings, writes: 'text', isEitherCase: true },
  embedContent: { members: embed, writes: 'nothing', isEitherCase: true },
  batchEmbedContents: { members: { requests: 'items' }, writes: 'nothing' },
  interactions: { members: interactions, settings, writes: 'text' },
};
