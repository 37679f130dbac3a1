import { type CostFields, rules } from './cost-fields.ts';

const settings = rules({
  bound: 'max_output_tokens',
  answers: 'candidate_count',
  thinking: 'thinking_config',
  modalities: 'response_modalities',
  text: 'response_schema response_json_schema',
  free: `temperature top_p top_k seed stop_sequences presence_penalty frequency_penalty response_mime_type
    response_logprobs logprobs media_resolution speech_config image_config audio_timestamp enable_enhanced_civic_answers
    thinking_level thinking_summaries tool_choice`,
});

const generate = rules({
  content: 'contents system_instruction',
  settings: 'generation_config',
  tools: 'tools',
  reference: 'cached_content',
  tier: 'service_tier',
  free: 'safety_settings tool_config labels',
});

const embed = rules({
  model: 'model',
  items: 'content',
  text: 'title',
  free: 'task_type output_dimensionality auto_truncate',
});

const interactions = rules({
  model: 'model',
  content: 'input system_instruction',
  text: 'response_format',
  modalities: 'response_modalities',
  settings: 'generation_config',
  tools: 'tools',
  reference: 'previous_interaction_id',
  tier: 'service_tier',
  free: 'stream store background response_mime_type',
});

/** A batch contains its calls, or names a file that has them. */
const batch: CostFields = {
  members: rules({ settings: 'batch' }),
  settings: rules({ settings: 'input_config', items: 'requests', reference: 'file_name' }),
  writes: 'nothing',
  isEitherCase: true,
};

const generation: CostFields = { members: generate, settings, writes: 'text', isEitherCase: true };

/** The members of requests in Gemini's format, by operation. */
export const geminiFields: Readonly<Record<string, CostFields>> = {
  generateContent: generation,
  streamGenerateContent: generation,
  embedContent: { members: embed, writes: 'nothing', isEitherCase: true },
  batchEmbedContents: { members: { requests: 'items' }, writes: 'nothing' },
  batchGenerateContent: batch,
  interactions: { members: interactions, settings, writes: 'text' },
};
