import type { VendorWords } from './vendor-words.ts';

/** OpenAI's, and those of servers that speak its dialects. */
export const openai: VendorWords = {
  labels: 'call_id detail file_id id role tool_call_id type',
  media: 'b64_json encrypted_content file_data image_url input_audio url',
  free: 'arguments input metadata',
  opaque: 'arguments input response citations annotations logprobs',
  plain: `type role content text name id tool_calls tool_call_id function function_call custom call_id refusal reasoning reasoning_content data
    summary output encrypted_content status phase prefix`,
  files: 'file_(?:id|uri|url) (?:video|document)_url images? result',
  tokens: 'bytes input prompt',
  plainTypes: `text input_text output_text refusal summary_text reasoning_text message function function_call function_call_output
    custom_tool_call custom_tool_call_output compaction reasoning`,
  named: String.raw`(?:\w{0,40}_)?id model object type role status event service_tier system_fingerprint (?:native_)?finish_reason obfuscation
    detail encoding_format reasoning_effort effort verbosity category namespace server_label \$(?:ref|anchor|dynamicRef|dynamicAnchor)`,
  toolHolders: 'functions? function_?[cC]all custom tools? tool_choice tool_calls json_schema',
  toolTypes: String.raw`function custom json_schema namespace function_call custom_tool_call mcp_call mcp_approval_request tool
    response\.\w{1,40}_call_(?:arguments|input)\.(?:delta|done)`,
  toolRoles: 'function tool',
  nameLists: 'required allowed_tools tool_names dependentRequired',
  nameTables: String.raw`properties \$defs definitions dependentRequired dependentSchemas`,
  naming: `model models preset fallbacks tools functions plugins connectors type name function custom tool definition url server_url connector_id
    tunnel_id prompt input messages content previous_response_id conversation thread web_search_options search_parameters enable_search
    compound_custom data_sources dataSources`,
  trailing: 'usage model service_tier svg_usage tool_usage usage_info tools',
  sealed: 'encrypted_content',
  // OpenRouter's reasoning_details.
  sealedTypes: 'reasoning.encrypted',
  signable: 'reasoning.text',
  parts: 'content output summary',
  grown: 'refusal logprobs',
  continued:
    'content text delta reasoning_content reasoning refusal arguments input transcript summary token tool_plan',
  wholeFrames: String.raw`error response\.(?:created|queued|in_progress|completed|incomplete|failed|output_item\.(?:added|done)|[\w.]+\.done)`,
};
