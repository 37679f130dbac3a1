import type { VendorWords } from './vendor-words.ts';

export const gemini: VendorWords = {
  labels: 'mimeType mime_type',
  media: 'fileData fileUri inlineData thoughtSignature',
  free: 'args response',
  opaque: 'args response',
  plain: `functionCall thought thoughtSignature thought_signature parts functionResponse function_response willContinue scheduling result model
    taskType task_type outputDimensionality output_dimensionality`,
  files: 'gcsUri bytesBase64Encoded',
  plainTypes: 'thought user_input model_output',
  named: String.raw`\w{1,40}Id modelVersion finishReason stopReason mimeType (?:\w{0,40}_)?mime_type probability severity`,
  toolHolders: 'function_?[rR]esponse function_?[dD]eclarations',
  toolTypes: 'function_result',
  nameLists: 'allowed_?[fF]unction_?[nN]ames property_?[oO]rdering',
  naming: `agent agent_config request batch inputConfig input_config fileName file_name generateContentRequest generate_content_request
    generationConfig generation_config cachedContent cached_content functionDeclarations function_declarations streamableHttpTransport
    streamable_http_transport`,
  trailing: 'usageMetadata modelVersion',
  signatures: 'thoughtSignature thought_signature',
  sealed: 'thoughtSignature thought_signature redactedContent',
  ranCode: 'executableCode codeExecutionResult executable_code code_execution_result',
  parts: 'parts',
  grown: 'chosenCandidates topCandidates',
  continued: 'text stringValue',
};
