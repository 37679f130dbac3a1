import { errorTable } from '@agp/core/errors';
import { refusalText } from '@agp/testing';
import type { Handler } from '@agp/testing/providers';
import { answerCanned } from '@agp/testing/providers';
import { Agent, request } from 'undici';

/** What became of a call. */
export interface CallResult {
  status: number;
  /** The refusal's message without its figures; null for an answer of the provider. */
  error: string | null;
  /** The whole of it. */
  message: string | null;
  retryAfter: string | null;
  headers: Record<string, string | string[] | undefined>;
}

/** What the refusal of a cap says behind its phrase. */
const budgetFigures = /^((?:global )?daily budget [a-z ]+): .*$/;

export interface Call {
  agentName: string;
  /** The bound on output that the request sets, in tokens. */
  maxTokens?: number;
  /** Below the provider's id. */
  path?: string;
  headers?: Record<string, string>;
  /** Of Bedrock, whose Converse is called in place of chat completions. */
  bedrockModel?: string | undefined;
}

/** Every request is of this size, so that each reserves the same. */
const content = 'x'.repeat(200);

/** A model that has a price, a bound on its output, and the same cost each time. */
export const pricedModel = 'gpt-4o';
export const boundOnOutput = 100;

/**
 * Reports to have used what the proxy reserves for: a token for four bytes of input, and of the output that the request
 * allows this share.
 */
export function answerAsReserved(share = 1, pauseMs = 0): Handler {
  return async (received, index) => {
    const { max_tokens, inferenceConfig } = JSON.parse(received.body.toString() || '{}');
    const most: number = max_tokens ?? inferenceConfig?.maxTokens ?? 0;
    const figures = { input: Math.ceil(received.body.length / 4), output: Math.round(most * share) };
    return { ...(await answerCanned(figures)(received, index)), pauseMs };
  };
}

/** Sends calls over connections of its own, as many at once as it is asked to. */
export class Caller implements AsyncDisposable {
  readonly #dispatcher = new Agent({ connections: 400, pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 });

  async send(url: string, call: Call): Promise<CallResult> {
    const { bedrockModel: model, maxTokens = boundOnOutput } = call;
    const path = model ? `bedrock/model/${model}/converse` : `openai/v1/${call.path ?? 'chat/completions'}`;
    const { statusCode, headers, body } = await request(`${url}/${path}`, {
      method: 'POST',
      dispatcher: this.#dispatcher,
      headers: { 'content-type': 'application/json', 'x-agent-name': call.agentName, ...call.headers },
      body: JSON.stringify(
        model
          ? { messages: [{ role: 'user', content: [{ text: content }] }], inferenceConfig: { maxTokens } }
          : { model: pricedModel, max_tokens: maxTokens, messages: [{ role: 'user', content }] },
      ),
    });
    const answer = await body.json();
    const message = headers['x-error-code'] === undefined ? null : refusalText(answer);
    return {
      status: statusCode,
      error: message?.replace(budgetFigures, '$1') ?? null,
      message,
      retryAfter: headers['retry-after']?.toString() ?? null,
      headers,
    };
  }

  /** Sends again where the machine is too busy to read an agent's status in time, as SDKs do. */
  async sendPatiently(url: string, call: Call): Promise<CallResult> {
    const result = await this.send(url, call);
    return result.error === errorTable.status_unavailable.message ? this.sendPatiently(url, call) : result;
  }

  /** Sends `count` at once, patiently, to each of the proxies in turn. */
  sendMany(urls: readonly string[], count: number, toCall: (index: number) => Call): Promise<CallResult[]> {
    const sendOne = (_: unknown, index: number) => this.sendPatiently(urls[index % urls.length] ?? '', toCall(index));
    return Promise.all(Array.from({ length: count }, sendOne));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** How often each status and refusal came. */
export function countResults(results: readonly CallResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, error } of results) {
    const name = error === null ? String(status) : `${status} ${error}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
