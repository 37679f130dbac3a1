import {
  type CallHead,
  type InspectedBody,
  type Measurement,
  type Metering,
  matchOperation,
  type ProviderApi,
} from '@agp/metering';
import { type Exchange, type Written, writeAnswer, writeRequest } from '@agp/testing/corpus';

/** Providers whose format is not OpenAI's, or whose address tells something. */
const formats: Readonly<Record<string, ProviderApi>> = { anthropic: 'anthropic', gemini: 'gemini', bedrock: 'bedrock' };
const addresses: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
  bedrock: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  azure: 'https://mine.openai.azure.com',
  mistral: 'https://api.mistral.ai',
  xai: 'https://api.x.ai',
  groq: 'https://api.groq.com/openai',
  perplexity: 'https://api.perplexity.ai',
  openrouter: 'https://openrouter.ai/api',
  cohere: 'https://api.cohere.ai',
};

const holder = { agentId: 'a', source: null };

/** What stands before the request's body is read. */
export function readHead({ request }: Exchange): CallHead {
  const { provider: id, method, path: target } = request;
  const [path = '', query = ''] = target.split('?');
  const api = formats[id] ?? 'openai';
  const baseUrl = new URL(addresses[id] ?? 'http://10.0.0.1:8000');
  return {
    provider: {
      ...{ id, api, baseUrl, asksForUsage: id !== 'mistral' && id !== 'openrouter' },
      ...{ harmlessMembers: [], geo: null },
    },
    operation: matchOperation(api, method, path),
    ...{ method, path, query, timestamp: Date.UTC(2026, 11, 1), serviceTier: null },
    hasBody: writeRequest(request) !== null,
    headers: request.headers ?? {},
  };
}

/** What metering reads of an exchange's request; null without a body. */
export function inspect(metering: Metering, exchange: Exchange, head = readHead(exchange)): InspectedBody | null {
  const body = writeRequest(exchange.request);
  if (!head.operation || !body) return null;
  const form = { contentType: body.contentType, contentEncoding: '' };
  const caps = { isCapped: exchange.isCapped, mayRefuse: false, mustName: true };
  return metering.inspect(head.operation, head, body.bytes, form, caps);
}

/** The answer in another form than its own. */
export interface Form extends Partial<Written> {
  encoding?: string;
  /** What comes if nobody asks for the usage of the stream. */
  unasked?: Buffer;
  /** In these pieces. */
  pieces?: readonly Buffer[];
  ends?: Exchange['ends'];
}

const outcomes = { whole: 'completed', cut: 'failed', left: 'aborted' } as const;

/** Measures an exchange by metering alone. */
export async function measureExchange(metering: Metering, exchange: Exchange, form: Form = {}): Promise<Measurement> {
  const { answer = { status: 200 }, isCapped } = exchange;
  const head = readHead(exchange);
  const body = inspect(metering, exchange, head);
  const nanoUsd = metering.findReservation(head, body, { isCapped, mayRefuse: false });
  const claims = { claimBill: async () => true, findClaim: async () => null };
  const meter = metering.open({ head, holder, body, reservation: { nanoUsd, isCapped }, ...claims });
  const { contentType, bytes } = { ...writeAnswer(answer), ...form };
  const encoding = form.encoding === undefined ? {} : { 'content-encoding': form.encoding };
  const pipe = meter.openPipe({ 'content-type': contentType, ...answer.headers, ...encoding });
  for (const piece of form.pieces ?? [bytes]) pipe?.push(piece);
  const streamed = contentType.startsWith('text/event-stream');
  const outcome = outcomes[form.ends ?? exchange.ends];
  return meter.measure({ outcome, sent: true, status: answer.status, streamed });
}
