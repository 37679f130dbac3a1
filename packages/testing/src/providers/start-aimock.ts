import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';

/** The answer and usage of the third party's fake provider, for every API and model. */
export const aimockAnswer = {
  text: 'The warehouse move takes three weekends.',
  promptTokens: 321,
  completionTokens: 45,
} as const;

/** Its tool calls, if a request has tools and no tool result yet. */
const toolCalls = [{ id: 'call_1', name: 'get_temperature', arguments: '{"city":"Oslo"}' }];

const hasTools = ({ tools }: ChatCompletionRequest) => tools !== undefined && tools.length > 0;

export interface Aimock extends AsyncDisposable {
  /** The base URL of the Anthropic and Gemini clients; OpenAI's takes `/v1` after it. */
  url: string;
  /** The library's own object, for its journal of requests and its faults. */
  mock: LLMock;
  stop(): Promise<void>;
}

/**
 * Starts a third party's fake provider on a free loopback port. It answers chat completions, responses, messages and
 * generateContent, streamed or not, always with {@link aimockAnswer} or, first, with a call of a tool; each API has a fixture of
 * its own, since the names of usage members are the API's. Its embeddings report a usage of 0 whatever the fixture says, and it
 * drops cached and reasoning tokens: use our own fake provider for those. Of Gemini's paths it knows only `/v1beta`, while the
 * client uses `/v1` unless `apiVersion` is `v1beta`.
 */
export async function startAimock(): Promise<Aimock> {
  const mock = new LLMock({ host: '127.0.0.1', port: 0 });
  const { text: content, promptTokens, completionTokens } = aimockAnswer;
  const apis = [
    { match: { model: /^claude/ }, usage: { input_tokens: promptTokens, output_tokens: completionTokens } },
    { match: { model: /^gemini/ }, usage: { promptTokenCount: promptTokens, candidatesTokenCount: completionTokens } },
    { match: {}, usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens } },
  ];
  mock.on({ endpoint: 'embedding' }, { embedding: [0.6, 0.8] });
  for (const { match, usage } of apis) {
    mock.on({ ...match, predicate: hasTools, hasToolResult: false }, { toolCalls, usage });
    mock.on(match, { content, usage });
  }
  await mock.start();
  const stop = () => mock.stop();
  return { url: mock.url, mock, stop, [Symbol.asyncDispose]: stop };
}
