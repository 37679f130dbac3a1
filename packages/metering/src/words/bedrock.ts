import type { VendorWords } from './vendor-words.ts';

export const bedrock: VendorWords = {
  labels: 'toolUseId',
  media: 'bytes body redactedContent',
  files: 'uri',
  free: 'json',
  opaque: 'json',
  plain: `toolUse toolResult toolUseId cachePoint ttl reasoningContent reasoningText guardContent qualifiers json searchResult
    citationsContent citations`,
  plainTypes: 'default server_tool_use',
  named: 'toolUseId stopReason ttl p latency invokedModelId guardrailIdentifier guardrailVersion streamProcessingMode',
  toolHolders: 'toolUse toolSpec systemTool tool',
  naming: `toolConfig toolSpec systemTool toolAddition promptVariables additionalModelRequestFields inferenceConfig guardrailConfig
    performanceConfig serviceTier`,
  trailing: 'stopReason metrics serviceTier performanceConfig trace amazon-bedrock-trace',
  sealed: 'redactedContent',
};
