import { parsePriceFile } from '@agp/catalogue';
import type { CallHead, CallProvider } from '../src/call-head.ts';
import { createMetering } from '../src/create-metering.ts';
import type { ProviderApi } from '../src/dialects/operation.ts';
import { matchOperation } from '../src/match-operation.ts';
import type { MeteringOptions } from '../src/metering-parts.ts';

const provider = (id: string, api: ProviderApi, url: string): CallProvider => ({
  id,
  api,
  baseUrl: new URL(url),
  asksForUsage: id !== 'mistral',
  harmlessMembers: ['vouched'],
  geo: null,
});

/** Providers by their ids. */
export const providers: Readonly<Record<string, CallProvider>> = {
  openai: provider('openai', 'openai', 'https://api.openai.com'),
  anthropic: provider('anthropic', 'anthropic', 'https://api.anthropic.com'),
  gemini: provider('gemini', 'gemini', 'https://generativelanguage.googleapis.com'),
  bedrock: provider('bedrock', 'bedrock', 'https://bedrock-runtime.us-east-1.amazonaws.com'),
  azure: provider('azure', 'openai', 'https://mine.openai.azure.com'),
  mistral: provider('mistral', 'openai', 'https://api.mistral.ai'),
  xai: provider('xai', 'openai', 'https://api.x.ai'),
  groq: provider('groq', 'openai', 'https://api.groq.com/openai'),
  perplexity: provider('perplexity', 'openai', 'https://api.perplexity.ai'),
  openrouter: provider('openrouter', 'openai', 'https://openrouter.ai/api'),
  cohere: provider('cohere', 'openai', 'https://api.cohere.ai'),
  own: provider('own', 'openai', 'http://10.0.0.1:8000'),
};

/** @param entries as in `PRICES_FILE` */
export function openMetering(options: Partial<MeteringOptions> = {}, entries: object[] = []) {
  return createMetering({
    prices: parsePriceFile(JSON.stringify(entries)),
    isStrict: false,
    pii: null,
    ...options,
  });
}

/** The head of a request to one of {@link providers}. */
export function makeHead(id: string, path: string, given: Partial<CallHead> = {}): CallHead {
  const found = providers[id];
  if (!found) throw new Error(`no provider ${id}`);
  const { method = 'POST' } = given;
  return {
    provider: found,
    operation: matchOperation(found.api, method, path),
    method,
    path,
    query: '',
    timestamp: Date.UTC(2026, 10, 1),
    hasBody: true,
    serviceTier: null,
    ...given,
  };
}
