/** The members of a refusal's body, by whose errors it is like; `plain` without a provider. */
const shapes: Record<string, string> = {
  error: 'plain',
  'error.code,error.message,error.type': 'openai',
  'error.message,error.type,type': 'anthropic',
  'error.code,error.message,error.status': 'gemini',
  message: 'bedrock',
};

const listMembers = (value: object, before = ''): string[] =>
  Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'object' && member !== null ? listMembers(member, `${before}${name}.`) : `${before}${name}`,
  );

/**
 * The text of a refusal, without the proxy's name before it, and in whose words it stands.
 * @param body as it came, or parsed
 * @throws Error if it has another shape
 */
export function readRefusal(body: unknown): { dialect: string; text: string } {
  const parsed = typeof body === 'string' || Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body;
  const dialect = shapes[listMembers(parsed).sort().join()];
  const text = parsed.error?.message ?? parsed.error ?? parsed.message;
  if (dialect === undefined || typeof text !== 'string') throw new Error(`no refusal: ${JSON.stringify(parsed)}`);
  return { dialect, text: text.replace(/^governance proxy: /, '') };
}

/** Only the text. */
export const refusalText = (body: unknown): string => readRefusal(body).text;
