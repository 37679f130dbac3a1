import type { JsonObject } from '../../json/members.ts';
import { listMembers, type RequestBounds } from '../bounds.ts';
import { knowMembers, knowNames } from '../known-members.ts';
import { media } from './media.ts';

/** `cachePoint` marks what is kept; a `systemTool` is run by AWS. */
const readTool = (tool: JsonObject) =>
  Object.keys(tool).every((key) => key === 'toolSpec' || key === 'cachePoint') ? 'own' : null;

/** Members of vendors' own that name nothing, and that think within the bound or as told. */
const ofVendors = 'top_k anthropic_beta reasoning_effort';

export const converse: RequestBounds = {
  writes: 'text',
  media,
  outputBound: () => ['inferenceConfig', 'maxTokens'],
  readTool,
  settingsOf: {
    inferenceConfig: listMembers({ bound: 'maxTokens', free: 'temperature topP topK stopSequences' }),
    toolConfig: listMembers({ tools: 'tools', free: 'toolChoice' }),
    serviceTier: listMembers({ tier: 'type' }),
    performanceConfig: listMembers({ tier: 'latency' }),
    additionalModelRequestFields: listMembers({ thinking: 'thinking reasoning_config', free: ofVendors }),
  },
  members: listMembers({
    content: 'system messages',
    settings: 'inferenceConfig toolConfig serviceTier performanceConfig additionalModelRequestFields',
    free: 'requestMetadata additionalModelResponseFieldPaths outputConfig schemaVersion guardrailConfig',
  }),
};

/** What readers know of it; `promptVariables` fill a prompt that is stored at AWS. */
export const known = knowMembers(converse, '', {
  inferenceConfig: knowNames('maxTokens temperature topP topK stopSequences'),
  toolConfig: knowNames('tools toolChoice'),
  serviceTier: knowNames('type'),
  performanceConfig: knowNames('latency'),
  additionalModelRequestFields: knowNames(
    `${ofVendors} thinking reasoning_config reasoningConfig inferenceConfig output_config`,
  ),
  requestMetadata: 'texts',
});
