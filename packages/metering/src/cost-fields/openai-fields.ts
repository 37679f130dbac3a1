import { type CostFields, type CostRules, each } from './cost-fields.ts';

const sampling = each(
  'free',
  `temperature top_p top_k min_p top_a typical_p frequency_penalty presence_penalty repetition_penalty
   seed random_seed stop stop_token_ids ignore_eos logit_bias logprobs top_logprobs`,
);
const bookkeeping = each(
  'free',
  'stream stream_options user metadata store safety_identifier prompt_cache_key prompt_cache_retention',
);
const everywhere: CostRules = { ...bookkeeping, model: 'model', models: 'models', service_tier: 'tier' };

const chat: CostRules = {
  ...everywhere,
  ...sampling,
  ...each('bound', 'max_tokens max_completion_tokens'),
  ...each('answers', 'n best_of'),
  ...each('thinking', 'thinking reasoning thinking_budget'),
  ...each('text', 'functions response_format'),
  ...each(
    'free',
    `tool_choice function_call parallel_tool_calls reasoning_effort verbosity audio safe_prompt include_reasoning
     reasoning_format enable_thinking`,
  ),
  messages: 'content',
  tools: 'tools',
  prediction: 'prediction',
  modalities: 'modalities',
};

const completions: CostRules = {
  ...everywhere,
  ...sampling,
  ...each('answers', 'n best_of'),
  max_tokens: 'bound',
  prompt: 'prompts',
  suffix: 'text',
  echo: 'free',
};

const responses: CostRules = {
  ...everywhere,
  ...sampling,
  ...each('content', 'input instructions'),
  ...each('reference', 'previous_response_id conversation'),
  ...each('free', `tool_choice parallel_tool_calls include truncation background verbosity moderation`),
  max_output_tokens: 'bound',
  text: 'text',
  reasoning: 'thinking',
  tools: 'tools',
  max_tool_calls: 'tool-calls',
  context_management: 'clearing',
};

const embeddings: CostRules = {
  ...everywhere,
  ...each('free', 'encoding_format dimensions output_dimension output_dtype input_type truncate truncation'),
  input: 'items',
};

const images: CostRules = {
  ...everywhere,
  ...each(
    'free',
    'quality style response_format background output_compression moderation partial_images input_fidelity',
  ),
  ...each('media', 'image images mask'),
  prompt: 'text',
  n: 'answers',
  size: 'picture-size',
  output_format: 'picture-format',
};

const transcripts: CostRules = {
  ...everywhere,
  ...each(
    'free',
    'language response_format temperature timestamp_granularities include chunking_strategy known_speaker_names',
  ),
  ...each('media', 'file known_speaker_references'),
  ...each('text', 'prompt keywords'),
};

const speech: CostRules = {
  ...everywhere,
  ...each('free', 'voice response_format stream_format speed'),
  input: 'spoken',
  instructions: 'text',
};

/** The members of requests in OpenAI's format, by operation. */
export const openaiFields: Readonly<Record<string, CostFields>> = {
  'chat.completions': { members: chat, writes: 'text' },
  completions: { members: completions, writes: 'text' },
  'fim.completions': { members: completions, writes: 'text' },
  responses: { members: responses, writes: 'text' },
  'responses.compact': { members: responses, writes: 'text' },
  embeddings: { members: embeddings, writes: 'nothing' },
  'images.generations': { members: images, writes: 'pictures' },
  'images.edits': { members: images, writes: 'pictures', mayBeForm: true },
  'images.variations': { members: images, writes: 'pictures', mayBeForm: true },
  'audio.transcriptions': { members: transcripts, writes: 'text', mayBeForm: true },
  'audio.translations': { members: transcripts, writes: 'text', mayBeForm: true },
  'audio.speech': { members: speech, writes: 'text' },
};
