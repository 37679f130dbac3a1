import type { Answer } from './answer.ts';

/** The models that are listed; requests may name any other too. */
const openaiModels = ['gpt-5', 'gpt-5-mini', 'gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small'];
const anthropicModels = ['claude-opus-5-5', 'claude-sonnet-5', 'claude-haiku-4-5'];
const releasedAt = new Date('2026-01-01T00:00:00Z');

/** `GET /v1/models` in OpenAI's format. */
export function listOpenaiModels(): Answer {
  const created = releasedAt.getTime() / 1000;
  const data = openaiModels.map((id) => ({ id, object: 'model', created, owned_by: 'demo' }));
  return { status: 200, json: { object: 'list', data } };
}

/** `GET /v1/models` in Anthropic's format. */
export function listAnthropicModels(): Answer {
  const created_at = releasedAt.toISOString();
  const data = anthropicModels.map((id) => ({ type: 'model', id, display_name: id, created_at }));
  const json = { data, has_more: false, first_id: anthropicModels[0], last_id: anthropicModels.at(-1) };
  return { status: 200, json };
}
