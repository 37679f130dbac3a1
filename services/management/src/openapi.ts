import { errorBodySchema } from '@agp/core/contracts';
import { type ErrorCode, errorTable, headersOf } from '@agp/core/errors';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Route } from './define-route.ts';

function listErrors(route: Route): ErrorCode[] {
  const ofParameters = Object.values(route.params ?? {}).flatMap(({ error }) => error ?? []);
  // Everywhere, for unknown parameters of the query.
  const codes: ErrorCode[] = ['invalid_parameter', ...ofParameters, ...(route.errors ?? [])];
  if (route.body) codes.push('body_too_large', 'unsupported_media_type');
  if (route.scope !== null) codes.push('invalid_api_key', 'missing_scope', 'too_many_failures', 'storage_unavailable');
  if (route.scope !== null && route.isRead && route.answer.contentType === undefined) codes.push('too_many_reads');
  if (route.isVersioned && !route.isRead) codes.push('changed_meanwhile');
  if (route.extendedOnly) codes.push('base_edition');
  if (route.ofInstallation || (route.scope !== null && !route.isRead)) codes.push('installation_only');
  return [...new Set<ErrorCode>([...codes, 'internal'])];
}

const freeMessages: Partial<Record<ErrorCode, string>> = {
  invalid_parameter: 'the message names the field at fault; a query parameter that is unknown or given twice is one',
  missing_scope: '`API key lacks scope ...`',
};

const headerMeanings: Record<string, string> = {
  'WWW-Authenticate': '`Bearer`',
  'Retry-After': 'Seconds to wait',
  ETag: 'The state as it is now, for `If-Match`',
};

const ifMatch = z.object({
  'If-Match': z.string().optional().meta({ description: 'The `ETag` of the state that the change is made of' }),
});

function describeHeaders(codes: readonly ErrorCode[]) {
  const names = new Set(codes.flatMap((code) => Object.keys(headersOf(code))));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      { description: headerMeanings[name] ?? name, schema: { type: 'string' as const } },
    ]),
  );
}

function describeMessage(code: ErrorCode): string {
  const { message } = errorTable[code];
  return message === null ? (freeMessages[code] ?? code) : `\`${message}\``;
}

function describeErrors(route: Route): ZodOpenApiOperationObject['responses'] {
  const byStatus = Map.groupBy(listErrors(route), (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map(describeMessage).join(' or '),
        headers: describeHeaders(codes),
        content: { 'application/json': { schema: errorBodySchema } },
      },
    ]),
  );
}

function describeAnswer({ answer, isVersioned }: Route): ZodOpenApiResponseObject {
  const contentType = answer.contentType ?? 'application/json';
  const text = { schema: { type: 'string' } as const };
  return {
    description: answer.description,
    ...((answer.paged || isVersioned) && {
      headers: {
        ...(answer.paged && {
          Link: {
            description: '`<...>; rel="next"` while there are more entries',
            schema: { type: 'string' } as const,
          },
        }),
        ...(isVersioned && answer.status !== 204 && describeHeaders(['changed_meanwhile'])),
      },
    }),
    ...(answer.schema && {
      content: { [contentType]: { schema: answer.schema }, ...(answer.csv && { 'text/csv': text }) },
    }),
    ...(!answer.schema && answer.contentType && { content: { [contentType]: text } }),
  };
}

const csvMeaning =
  'With `Accept: text/csv` the answer is CSV as RFC 4180 has it, in UTF-8, with a header row; several values in one cell have `;` ' +
  'between them. Text that a spreadsheet would take for a formula has an apostrophe before it, also after `;`, `|`, a tab or a line ' +
  'break within a cell. Pages, filters and `Link` are the same.';

function describeRoute(route: Route): ZodOpenApiOperationObject {
  const pathParameters = Object.entries(route.params ?? {}).map(
    ([name, { description, example }]) => [name, z.string().meta({ description, example })] as const,
  );
  return {
    operationId: `${route.method} ${route.path}`.replace(/[^a-z0-9]+/g, '_').replace(/_$/, ''),
    tags: [route.tag],
    summary: route.summary,
    description: [
      route.scope === null ? 'Needs no key.' : `Needs a key with the scope \`${route.scope}\`.`,
      ...(route.extendedOnly ? ['Extended edition only.'] : []),
      ...(route.ofInstallation ? ['Of the whole installation: not for keys of a team.'] : []),
      ...(route.answer.csv ? [csvMeaning] : []),
    ].join(' '),
    ...(route.ofInstallation && { 'x-of-installation': true }),
    ...(route.scope === null && { security: [] }),
    requestParams: {
      ...(pathParameters.length > 0 && { path: z.object(Object.fromEntries(pathParameters)) }),
      ...(route.query && { query: route.query }),
      ...(route.isVersioned && !route.isRead && { header: ifMatch }),
    },
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: {
          'application/json': { schema: route.body },
          ...(route.readText && { 'application/yaml': { schema: { type: 'string' } } }),
        },
      },
    }),
    responses: { [route.answer.status ?? 200]: describeAnswer(route), ...describeErrors(route) },
  } as ZodOpenApiOperationObject;
}

/** Query values are text that the schemas parse; the document shows the type that they mean. */
function simplifySchema(schema: { type?: unknown; format?: unknown; pattern?: unknown; enum?: unknown }): void {
  if (schema.format !== undefined || schema.type === 'integer') delete schema.pattern;
  if (schema.type === 'boolean') delete schema.enum;
}

export function buildDocument(routes: readonly Route[]): ReturnType<typeof createDocument> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method] = describeRoute(route);
    paths[route.path] = operations;
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: 'Agent Governance Proxy: management and audit',
      version: '1',
      description: 'Agents, events, sessions, lineage, costs and budgets of all that goes through the proxy.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `agm_...`' } },
    },
    paths: paths as NonNullable<ZodOpenApiObject['paths']>,
  };
  return createDocument(document, { override: ({ jsonSchema }) => simplifySchema(jsonSchema) });
}
