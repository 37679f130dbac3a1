import { asArray, asObject, type JsonObject } from '../../json/json-shapes.ts';

/**
 * A stream's frame says that the call failed, in any of the forms that servers have for it: an `error` of the
 * frame (OpenAI), of a choice or as its finish reason (OpenRouter), in `x_groq` (Groq), or a frame that is one itself, by
 * its event's name (LM Studio), its `type` (Responses) or its `object` (vLLM).
 */
export function isErrorFrame(event: string, frame: JsonObject): boolean {
  const { error, object, type, x_groq: ofGroq, choices } = frame;
  if (event === 'error' || error || object === 'error' || type === 'error' || asObject(ofGroq).error) return true;
  return asArray(choices).some((choice) => {
    const { error: ofChoice, finish_reason: reason } = asObject(choice);
    return Boolean(ofChoice) || reason === 'error';
  });
}
