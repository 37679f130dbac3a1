import type { Attributes } from '@agp/runtime';
import type { AdmittedRequest } from '../journey.ts';
import { describeMethod } from './describe-method.ts';

/** OpenTelemetry's words for what a call does; an operation that it has no word for goes by our own. */
const operationNames: Readonly<Record<string, string>> = {
  'chat.completions': 'chat',
  responses: 'chat',
  messages: 'chat',
  interactions: 'chat',
  generateContent: 'generate_content',
  streamGenerateContent: 'generate_content',
  completions: 'text_completion',
  'fim.completions': 'text_completion',
  embeddings: 'embeddings',
  embedContent: 'embeddings',
  batchEmbedContents: 'embeddings',
};

/** OpenTelemetry's words for providers whose usual id is another one. */
const providerNames: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/**
 * What a span says of a call before it is made, by OpenTelemetry's conventions for generative AI; a request that we cannot
 * read is a plain HTTP one. Nothing of what was written is in it.
 */
export function describeCall({ head, sessionId, body }: AdmittedRequest): { name: string; attributes: Attributes } {
  const { provider, operation, path } = head;
  const { protocol, hostname, port, origin } = provider.baseUrl;
  const method = describeMethod(head.method);
  const http = {
    ...method.attributes,
    // Without the query, where keys stand; a provider's URL has no password in it.
    'url.full': `${origin}${provider.basePath}${path}`,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'agp.event.id': head.eventId,
  };
  if (operation === null) return { name: method.name, attributes: http };
  const operationName = operationNames[operation.name] ?? operation.name;
  const model = body.inspected?.requestedModel ?? null;
  return {
    name: model === null ? operationName : `${operationName} ${shorten(model)}`,
    attributes: {
      ...http,
      'gen_ai.operation.name': operationName,
      'gen_ai.provider.name': providerNames[provider.id] ?? provider.id,
      'gen_ai.conversation.id': sessionId,
      ...(model === null ? {} : { 'gen_ai.request.model': shorten(model) }),
      ...(body.inspected ? { 'gen_ai.request.stream': body.inspected.stream } : {}),
    },
  };
}

/** Callers and providers choose what a model is called. */
export const shorten = (model: string): string => model.slice(0, 256);
