import type { VendorWords } from './vendor-words.ts';

export const anthropic: VendorWords = {
  labels: 'cache_control media_type tool_use_id',
  media: 'data signature',
  free: 'input',
  opaque: 'cache_control',
  plain: 'tool_use_id thinking signature title source is_error',
  plainTypes: 'thinking redacted_thinking tool_use tool_result search_result',
  named: 'betas? anthropic_(?:beta|version) stop_reason media_type (?:mcp_)?server_name tool_name',
  toolHolders: 'mcp_servers',
  toolTypes: 'mcp_toolset tool_use server_tool_use mcp_tool_use mcp_server_tool_(?:call|result) tool_reference',
  nameTables: 'configs',
  naming: 'mcp_servers mcpServers mcp_server_name requests params tool_changes',
  signatures: 'signature',
  sealed: 'signature encrypted_content encrypted_index encrypted_stdout',
  sealedTypes: 'redacted_thinking',
  thoughts: 'thinking thinking_delta',
  parts: 'content',
  continued: 'text partial_json thinking',
  wholeFrames: 'message_start error',
};
