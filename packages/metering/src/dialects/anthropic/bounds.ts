import { asArray, asName, asObject } from '../../json/members.ts';
import { listMembers, type RequestBounds } from '../bounds.ts';
import { findRunner } from './tools.ts';

/** What only removes parts of a long conversation; a summary is a run of its own. */
function onlyClears(management: unknown): boolean {
  const edits = asArray(asObject(management).edits);
  return management === null || edits.every((edit) => /^clear_/.test(asName(asObject(edit).type)));
}

export const messages: RequestBounds = {
  writes: 'text',
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
