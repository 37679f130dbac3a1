import { asArray, asName, asObject } from '../../json/members.ts';
import { listMembers, type RequestBounds } from '../bounds.ts';
import { knowMembers, knowNames } from '../known-members.ts';
import { media } from './pictures.ts';
import { findRunner } from './tools.ts';

/** What only removes parts of a long conversation; a summary is a run of its own. */
function onlyClears(management: unknown): boolean {
  const edits = asArray(asObject(management).edits);
  return management === null || edits.every((edit) => /^clear_/.test(asName(asObject(edit).type)));
}

export const messages: RequestBounds = {
  writes: 'text',
  media,
  outputBound: () => ['max_tokens'],
  readTool: findRunner,
  members: {
    ...listMembers({
      model: 'model',
      content: 'system messages',
      bound: 'max_tokens',
      thinking: 'thinking',
      tools: 'tools',
      tier: 'service_tier speed',
      geo: 'inference_geo',
      free: `output_config output_format temperature top_k top_p stop_sequences stream metadata tool_choice cache_control
        anthropic_version anthropic_beta`,
    }),
    context_management: onlyClears,
  },
};

/** What readers know of a message. */
export const known = knowMembers(
  messages,
  'tools mcp_servers fallbacks thread container betas context_management output_config output_format diagnostics user_profile_id',
  { metadata: 'texts' },
);

/** The requests of a batch are read one by one. */
export const knownOfBatch = { requests: knowNames('custom_id', { params: true }) };
