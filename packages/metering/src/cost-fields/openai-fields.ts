import { type CostFields, rules } from './cost-fields.ts';

const everywhere = rules({
  model: 'model',
  models: 'models',
  tier: 'service_tier',
  free: 'stream stream_options user metadata store safety_identifier prompt_cache_key prompt_cache_retention',
});

const sampling = rules({
  free: `temperature top_p top_k min_p top_a typical_p frequency_penalty presence_penalty repetition_penalty
    seed random_seed stop stop_token_ids ignore_eos logit_bias logprobs top_logprobs`,
});

const chat = rules(
  {
    content: 'messages',
    text: 'functions response_format',
    bound: 'max_tokens max_completion_tokens',
    answers: 'n best_of',
    thinking: 'thinking reasoning thinking_budget',
    tools: 'tools',
    prediction: 'prediction',
    modalities: 'modalities',
    free: `tool_choice function_call parallel_tool_calls reasoning_effort verbosity audio safe_prompt include_reasoning
      reasoning_format enable_thinking`,
  },
  everywhere,
  sampling,
);

const completions = rules(
  { prompts: 'prompt', text: 'suffix', bound: 'max_tokens', answers: 'n best_of', free: 'echo' },
  everywhere,
  sampling,
);

const responses = rules(
  {
    content: 'input instructions',
    text: 'text',
    reference: 'previous_response_id conversation',
    bound: 'max_output_tokens',
    thinking: 'reasoning',
    tools: 'tools',
    'tool-calls': 'max_tool_calls',
    clearing: 'context_management',
    free: 'tool_choice parallel_tool_calls include truncation background verbosity moderation',
  },
  everywhere,
  sampling,
);

const embeddings = rules(
  {
    items: 'input',
    free: 'encoding_format dimensions output_dimension output_dtype input_type truncate truncation',
  },
  everywhere,
);

const images = rules(
  {
    text: 'prompt',
    media: 'image images mask',
    answers: 'n',
    'picture-size': 'size',
    'picture-format': 'output_format',
    free: 'quality style response_format background output_compression moderation partial_images input_fidelity',
  },
  everywhere,
);

const transcripts = rules(
  {
    text: 'prompt keywords',
    media: 'file known_speaker_references',
    free: 'language response_format temperature timestamp_granularities include chunking_strategy known_speaker_names',
  },
  everywhere,
);

const speech = rules(
  { spoken: 'input', text: 'instructions', free: 'voice response_format stream_format speed' },
  everywhere,
);

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
