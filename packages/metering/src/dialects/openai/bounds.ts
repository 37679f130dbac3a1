import { listMembers, listOf, oneOf, type RequestBounds } from '../bounds.ts';
import { media } from './pictures.ts';
import { findRunner } from './tools.ts';

const everywhere = listMembers({
  model: 'model',
  models: 'models',
  tier: 'service_tier',
  free: 'stream stream_options user metadata store safety_identifier prompt_cache_key prompt_cache_retention',
});

const sampling = listMembers({
  free: `temperature top_p top_k min_p top_a typical_p frequency_penalty presence_penalty repetition_penalty
    seed random_seed stop stop_token_ids ignore_eos logit_bias logprobs top_logprobs`,
});

/** OpenAI's own models refuse the older name, which alone many other servers know. */
const ofOpenai = /(?:^|\.)(?:openai|azure)\.com$/;

/** Those who document that they enforce it. */
const knowNewBound = /(?:^|\.)(?:openai\.com|azure\.com|groq\.com|x\.ai|openrouter\.ai|cerebras\.ai)$/;

export const chat: RequestBounds = {
  writes: 'text',
  media,
  knows: (bound, { hostname }) => bound !== 'max_completion_tokens' || knowNewBound.test(hostname),
  outputBound: ({ hostname }) => [ofOpenai.test(hostname) ? 'max_completion_tokens' : 'max_tokens'],
  readTool: findRunner,
  members: {
    ...listMembers(
      {
        content: 'messages',
        bound: 'max_tokens max_completion_tokens',
        answers: 'n best_of',
        thinking: 'thinking reasoning thinking_budget',
        tools: 'tools',
        free: `functions response_format tool_choice function_call parallel_tool_calls reasoning_effort verbosity
          safe_prompt include_reasoning reasoning_format enable_thinking`,
      },
      everywhere,
      sampling,
    ),
    // No server documents that a bound on tokens holds for sound.
    modalities: listOf('text'),
  },
};

export const completions: RequestBounds = {
  writes: 'text',
  outputBound: () => ['max_tokens'],
  members: listMembers(
    { prompts: 'prompt', bound: 'max_tokens', answers: 'n best_of', free: 'suffix echo' },
    everywhere,
    sampling,
  ),
};

export const responses: RequestBounds = {
  writes: 'text',
  media,
  outputBound: () => ['max_output_tokens'],
  readTool: findRunner,
  members: listMembers(
    {
      content: 'input instructions',
      reference: 'previous_response_id conversation',
      bound: 'max_output_tokens',
      thinking: 'reasoning',
      tools: 'tools',
      free: `text max_tool_calls tool_choice parallel_tool_calls include truncation background verbosity moderation`,
    },
    everywhere,
    sampling,
  ),
};

export const cohereChat: RequestBounds = {
  writes: 'text',
  outputBound: () => ['max_tokens'],
  readTool: findRunner,
  members: listMembers(
    {
      content: 'messages message preamble chat_history documents',
      bound: 'max_tokens',
      thinking: 'thinking',
      tools: 'tools',
      free: 'response_format tool_choice safety_mode stop_sequences citation_options citation_quality p k strict_tools',
    },
    everywhere,
    sampling,
  ),
};

export const embeddings: RequestBounds = {
  writes: 'nothing',
  members: listMembers(
    {
      items: 'input',
      free: 'encoding_format dimensions output_dimension output_dtype input_type truncate truncation',
    },
    everywhere,
  ),
};

export const images: RequestBounds = {
  writes: 'pictures',
  members: {
    ...listMembers(
      {
        reference: 'image images mask',
        answers: 'n',
        free: `prompt quality style response_format background output_compression moderation partial_images
          input_fidelity`,
      },
      everywhere,
    ),
    size: oneOf('auto', '256x256', '512x512', '1024x1024', '1536x1024', '1024x1536'),
    output_format: oneOf('png', 'jpeg', 'webp'),
  },
};

export const speech: RequestBounds = {
  writes: 'speech',
  members: listMembers({ free: 'input instructions voice response_format stream_format speed' }, everywhere),
};
