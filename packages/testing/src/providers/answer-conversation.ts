import { createHash } from 'node:crypto';
import { answerCanned } from './answer-canned.ts';
import type { CannedAnswer } from './canned-answer.ts';
import type { Handler, ReceivedRequest } from './fake-provider.ts';

/** The answer to a request that asks for a schema. */
export const structuredAnswer = { city: 'Lima', celsius: 19 };

/** The two cities that the model asks the tool about in one turn. */
const askedCities = ['Oslo', 'Lima'];

/** How each API says that a client has run a tool. */
const toolResults = /"role":"tool"|"type":"function_call_output"|"type":"tool_result"|"functionResponse":/;
/** How each API says that the answer must follow a schema. */
const schemas = /"type":"json_schema"|"responseSchema":|"responseJsonSchema":/;

function decideTurn({ body }: ReceivedRequest): Partial<CannedAnswer> {
  const { stream_options: _, ...asked } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const text = JSON.stringify(asked);
  if (schemas.test(text)) return { words: JSON.stringify(structuredAnswer).split(/(?<=,)/) };
  if (text.includes('"name":"weather"')) {
    // Some clients get a schema followed by a tool that takes it.
    return { words: [], toolCalls: [{ id: 'call_w', name: 'weather', arguments: JSON.stringify(structuredAnswer) }] };
  }
  if (text.includes('get_temperature') && !toolResults.test(text)) {
    const toolCalls = askedCities.map((city, index) => ({
      id: `call_${index}`,
      name: 'get_temperature',
      arguments: JSON.stringify({ city }),
    }));
    return { words: ['Let me', ' look.'], toolCalls };
  }
  // The answer holds a digest of the request, so two clients get the same answer only if they sent the same.
  const digest = createHash('sha256').update(text).digest('hex');
  return { words: ['I was', ' asked ', digest, ' \u{1F321}.'] };
}

/**
 * A model that calls a tool twice if it has one, follows a schema if one is given, and otherwise answers with a digest of the
 * request without `stream_options`.
 */
export function answerConversation(figures: Partial<CannedAnswer>): Handler {
  return (request, index) => answerCanned({ ...figures, ...decideTurn(request) })(request, index);
}
