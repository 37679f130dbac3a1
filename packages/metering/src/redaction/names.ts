import type { Holder, Literal } from './holder.ts';

/** Members by which protocols name things. */
const naming =
  /^(?:(?:\w{0,40}_)?id|\w{1,40}Id|model|modelVersion|object|type|role|status|event|betas?|anthropic_(?:beta|version)|service_tier|system_fingerprint|(?:native_)?finish_reason|finishReason|stop_reason|stopReason|obfuscation|mimeType|(?:\w{0,40}_)?mime_type|media_type|detail|encoding_format|reasoning_effort|effort|verbosity|category|probability|severity)$/;

/** A name as providers give them: without a space, and no address of mail. */
const named = /^(?!.*\w@[\w-]+\.[a-z])[\w.:/@+-]{1,256}$/i;

/** What has a name that its caller chose for the API: tools, calls of them, and their parameters. */
const toolHolders =
  /^(?:function|functions|function_call|functionCall|functionResponse|functionDeclarations|tools?|tool_choice|tool_calls)$/;
const toolTypes =
  /^(?:function|custom|function_call|custom_tool_call|mcp_call|tool_use|server_tool_use|mcp_tool_use|tool_reference|tool)$/;

const toolName = /^[\w.:/-]{1,128}$/;

function isOfTool(holder: Holder): boolean {
  return toolHolders.test(holder.name) || toolTypes.test(holder.type) || toolHolders.test(holder.parent?.name ?? '');
}

/** Whether it stands where a protocol names something, whatever it says. */
export function isNaming({ key, holder, kind }: Literal): boolean {
  if (holder.isFree) return false;
  if (kind === 'name') return holder.name === 'properties';
  if (key === 'required') return holder.isArray;
  return key === 'name' ? isOfTool(holder) : naming.test(key);
}

/** Whether a literal names something of the protocol: that is no text, and stays as it is. */
export function isProtocolName(literal: Literal, value: string): boolean {
  if (value.length > 256 || !isNaming(literal)) return false;
  const { key, kind } = literal;
  return (kind === 'name' || key === 'required' || key === 'name' ? toolName : named).test(value);
}
