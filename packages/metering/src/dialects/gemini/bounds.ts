import type { JsonObject } from '../../json/members.ts';
import { listMembers, listOf, type RequestBounds } from '../bounds.ts';
import { media } from './pictures.ts';

const settings = {
  ...listMembers({
    bound: 'max_output_tokens',
    answers: 'candidate_count',
    thinking: 'thinking_config',
    free: `response_schema response_json_schema temperature top_p top_k seed stop_sequences presence_penalty
      frequency_penalty response_mime_type response_logprobs logprobs media_resolution audio_timestamp
      enable_enhanced_civic_answers thinking_level thinking_summaries tool_choice`,
  }),
  // No bound on tokens holds for pictures and sound.
  response_modalities: listOf('text'),
};

const declarations = new Set(['functionDeclarations', 'function_declarations']);

export const generateContent: RequestBounds = {
  writes: 'text',
  media,
  outputBound: () => ['generationConfig', 'maxOutputTokens'],
  isEitherCase: true,
  settings,
  // Tools have no type: the name of a member says what each is.
  readTool: (tool: JsonObject) => (Object.keys(tool).every((key) => declarations.has(key)) ? 'own' : null),
  members: listMembers({
    content: 'contents system_instruction',
    settings: 'generation_config',
    tools: 'tools',
    reference: 'cached_content',
    tier: 'service_tier',
    free: 'safety_settings tool_config labels',
  }),
};

export const embedContent: RequestBounds = {
  writes: 'nothing',
  media,
  isEitherCase: true,
  members: listMembers({
    model: 'model',
    items: 'content',
    free: 'title task_type output_dimensionality auto_truncate',
  }),
};

export const batchEmbedContents: RequestBounds = { writes: 'nothing', members: { requests: 'items' } };

/** A batch contains its calls, or names a file that has them. */
export const batchGenerateContent: RequestBounds = {
  writes: 'nothing',
  isEitherCase: true,
  members: { batch: 'settings' },
  settings: { input_config: 'settings', requests: 'items', file_name: 'reference' },
};

export const interactions: RequestBounds = {
  writes: 'text',
  media,
  outputBound: () => ['generation_config', 'max_output_tokens'],
  settings,
  readTool: ({ type }: JsonObject) => (type === 'function' ? 'own' : null),
  members: {
    ...listMembers({
      model: 'model',
      content: 'input system_instruction',
      settings: 'generation_config',
      tools: 'tools',
      reference: 'previous_interaction_id',
      tier: 'service_tier',
      free: 'response_format stream store background response_mime_type',
    }),
    response_modalities: listOf('text'),
  },
};
