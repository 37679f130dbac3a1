import type { Holder, Literal } from './holder.ts';

/** Members by which protocols name things. */
const naming =
  /^(?:(?:\w{0,40}_)?id|\w{1,40}Id|model|modelVersion|object|type|role|status|event|betas?|anthropic_(?:beta|version)|service_tier|system_fingerprint|(?:native_)?finish_reason|finishReason|stop_reason|stopReason|obfuscation|mimeType|(?:\w{0,40}_)?mime_type|media_type|detail|encoding_format|reasoning_effort|effort|verbosity|category|probability|severity|namespace|server_label|(?:mcp_)?server_name|tool_name|\$(?:ref|anchor|dynamicRef|dynamicAnchor))$/;

/** A name as providers give them: without a space, and no address of mail. */
const named = /^(?!.*\w@[\w-]+\.[a-z])[\w.:/@+-]{1,256}$/i;
/** A place in a schema. */
const reference = /^#?[\w.:/$%~-]{0,256}$/;

/** What has a name that its caller chose for the API: tools, calls of them, and their parameters. */
const toolHolders =
  /^(?:functions?|function_?[cC]all|function_?[rR]esponse|function_?[dD]eclarations|custom|tools?|tool_choice|tool_calls|json_schema|mcp_servers)$/;
const toolTypes =
  /^(?:function|custom|json_schema|namespace|mcp_toolset|function_call|function_result|custom_tool_call|mcp_call|mcp_approval_request|tool_use|server_tool_use|mcp_tool_use|mcp_server_tool_(?:call|result)|tool_reference|tool|response\.\w{1,40}_call_(?:arguments|input)\.(?:delta|done))$/;
const toolRoles = /^(?:function|tool)$/;

/** Lists of names of tools and parameters. */
const nameLists =
  /^(?:required|allowed_tools|tool_names|allowed_?[fF]unction_?[nN]ames|property_?[oO]rdering|dependentRequired)$/;
/** Objects whose members are named like parameters, tools and schemas. */
const namedMembers = /^(?:properties|\$defs|definitions|dependentRequired|dependentSchemas|configs)$/;

const toolName = /^[\w.:/-]{1,128}$/;

function isOfTool(holder: Holder): boolean {
  const { name, type, role, parent } = holder;
  return toolHolders.test(name) || toolTypes.test(type) || toolRoles.test(role) || toolHolders.test(parent?.name ?? '');
}

/** By the name of a list, or of the object around one of several. */
const isNameList = ({ name, isArray, parent }: Holder): boolean =>
  isArray && (nameLists.test(name) || parent?.name === 'dependentRequired');

/** Whether it stands where a protocol names something, whatever it says. */
export function isNaming({ key, holder, kind }: Literal): boolean {
  if (holder.isFree) return false;
  if (kind === 'name') return namedMembers.test(holder.name);
  return key === 'name' ? isOfTool(holder) : naming.test(key) || isNameList(holder);
}

/** Whether a literal names something of the protocol: that is no text, and stays as it is. */
export function isProtocolName(literal: Literal, value: string): boolean {
  if (value.length > 256 || !isNaming(literal)) return false;
  const { key, kind, holder } = literal;
  if (kind === 'name' || key === 'name' || isNameList(holder)) return toolName.test(value);
  return (key.startsWith('$') ? reference : named).test(value);
}
