import type { Attributes } from '@agp/runtime';
import type { AdmittedRequest } from '../journey.ts';

/** OpenTelemetry's names for operations; all others keep our own name. */
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

/** OpenTelemetry's names for providers whose usual id differs. */
const providerNames: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/**
 * Describes a call before it is made, by OpenTelemetry's conventions for generative AI; a request that we cannot read is a plain
 * HTTP one. No text of agents or models is in it.
 */
export function describeCall({ head, sessionId, body }: AdmittedRequest): { name: string; attributes: Attributes } {
  const { provider, operation, path } = head;
  const { protocol, hostname, port, origin } = provider.baseUrl;
  const method = describeMethod(head.method);
  const http = {
    ...method.attributes,
    // Without the query, which may hold keys; a provider's URL never holds a password.
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

/** Callers and providers choose the names of models. */
export const shorten = (model: string): string => model.slice(0, 256);

/** RFC 9110 and RFC 5789: the methods that OpenTelemetry's conventions for HTTP know. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** The first word of a span's name, and its attributes, by those conventions, which have one word for all other methods. */
export function describeMethod(method: string): { name: string; attributes: Attributes } {
  if (knownMethods.has(method)) return { name: method, attributes: { 'http.request.method': method } };
  return { name: 'HTTP', attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': method } };
}
