import type { JsonObject } from '../../json/members.ts';
import { listMembers, type RequestBounds } from '../bounds.ts';
import { knowMembers, knowNames } from '../known-members.ts';
import { media } from './media.ts';

/** `cachePoint` marks what is kept; a `systemTool` is run by AWS. */
const readTool = (tool: JsonObject) =>
  Object.keys(tool).every((key) => key === 'toolSpec' || key === 'cachePoint') ? 'own' : null;

export const converse: RequestBounds = {
  writes: 'text',
  media,
  outputBound: () => ['inferenceConfig', 'maxTokens'],
  isEitherCase: true,
  readTool,
  // Members of the objects that the API puts around what others have in the body itself.
  settings: listMembers({
    bound: 'max_tokens',
    thinking: 'thinking reasoning_config',
    tools: 'tools',
    tier: 'type latency',
    free: 'temperature top_p top_k stop_sequences tool_choice anthropic_beta',
  }),
  members: listMembers({
    content: 'system messages',
    settings: 'inference_config tool_config service_tier performance_config additional_model_request_fields',
    free: 'request_metadata additional_model_response_field_paths output_config schema_version',
  }),
};

/** What readers know of it; `promptVariables` fill a prompt that is stored at AWS, and a guardrail is read by none. */
export const known = knowMembers(converse, 'guardrailConfig', {
  inferenceConfig: knowNames('maxTokens temperature topP topK stopSequences'),
  toolConfig: knowNames('tools toolChoice'),
  serviceTier: knowNames('type'),
  performanceConfig: knowNames('latency'),
  additionalModelRequestFields: knowNames('thinking reasoning_config top_k anthropic_beta'),
  requestMetadata: 'texts',
  additionalModelResponseFieldPaths: true,
  outputConfig: true,
  schemaVersion: true,
});
