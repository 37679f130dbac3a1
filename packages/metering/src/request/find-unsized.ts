/** Parts of a conversation that are text, whatever the API calls them. */
const plainTypes = new Set(
  `text input_text output_text refusal summary_text reasoning_text message thinking redacted_thinking tool_use tool_result
   function function_call function_call_output custom_tool_call custom_tool_call_output search_result compaction
   reasoning thought user_input model_output`.split(/\s+/),
);

const plainKeys = new Set(
  `type role content text name id tool_calls tool_call_id function function_call functionCall custom call_id tool_use_id
   refusal reasoning reasoning_content thinking thought thoughtSignature thought_signature signature data summary parts
   functionResponse function_response output encrypted_content status phase prefix title source is_error willContinue
   scheduling result model taskType task_type outputDimensionality output_dimensionality`.split(/\s+/),
);

/** JSON of the agent's own, in which keys mean nothing to the provider. */
export const opaqueKeys = new Set(
  'arguments args input response citations annotations logprobs cache_control'.split(' '),
);

function isPlainPart(part: object): boolean {
  const { type, encrypted_content: sealed } = part as Record<string, unknown>;
  if (type === undefined) return true;
  if (typeof type !== 'string' || !plainTypes.has(type)) return false;
  // The provider looks up its earlier thoughts, unless the request contains them whole.
  return type !== 'reasoning' || typeof sealed === 'string';
}

/** Whether parts are of unknown size: pictures, sound, files, references, and unknown members. */
export function findUnsized(content: unknown): boolean {
  // Deep nesting would overflow the call stack.
  const stack = [content];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push(item);
      continue;
    }
    if (!isPlainPart(value)) return true;
    for (const [key, member] of Object.entries(value)) {
      if (opaqueKeys.has(key)) continue;
      if (!plainKeys.has(key)) return true;
      stack.push(member);
    }
  }
  return false;
}
