import {
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import { ApiFailure, isSignedOut, toFailure, toSilence } from './api-failure.ts';
import type { paths } from './schema.d.ts';
import { sessionKey } from './session.ts';

type Method = 'get' | 'put' | 'post' | 'delete';
/** Paths of the API that have a method. */
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof paths];

type Operation<Path extends keyof paths, M extends Method> = paths[Path][M];
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : undefined;

/** The JSON of an operation's answer; undefined if it has none. */
type AnswerOf<Path extends keyof paths, M extends Method = 'get'> =
  Operation<Path, M> extends { responses: infer Responses }
    ? JsonOf<Responses[keyof Responses & (200 | 201 | 204)]>
    : never;

/** Parameters of an operation: `query` and `path`. */
type ParametersOf<Path extends keyof paths, M extends Method = 'get'> =
  Operation<Path, M> extends { parameters: infer Parameters }
    ? { [Place in 'query' | 'path' as Place extends keyof Parameters ? Place : never]?: Filled<Parameters, Place> }
    : never;

type Filled<Parameters, Place> = Place extends keyof Parameters ? Loose<Exclude<Parameters[Place], undefined>> : never;
type Loose<Values> = { [Name in keyof Values]: Values[Name] | undefined };

/** The body of an operation; undefined if it takes none. */
type BodyOf<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends { requestBody?: { content: { 'application/json': infer Json } } } ? Json : undefined;

/** What came back, and the cursor of the next page if there is one. */
export interface Reply<Data> {
  data: Data;
  next: string | null;
  /** Since when there are rows, if the list begins before. */
  keptSince: string | null;
  /** How many match on all pages, such as `>10000`, if that was asked for and counted in time. */
  total: string | null;
}

const client = createClient<paths>({ baseUrl: window.location.origin });

type Call = (path: string, init: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Path of the next page of a list, from the `Link` header; null on the last. */
const readNext = (link: string | null) => /<([^>]{1,2000})>\s*;\s*rel="next"/.exec(link ?? '')?.[1] ?? null;

function readNextCursor(link: string | null): string | null {
  const address = readNext(link);
  return address === null ? null : new URLSearchParams(address.split('?')[1] ?? '').get('cursor');
}

interface CallOptions<Parameters, Body> {
  params?: Parameters;
  /** JSON, or a text in YAML. */
  body?: Body;
  /** Makes the change only if nobody made another since this was seen. */
  ifMatch?: string | undefined;
  signal?: AbortSignal;
}

/**
 * One call of the management API in the session of this browser.
 * @throws ApiFailure whatever goes wrong, except an abort by `signal`
 */
export async function callApi<M extends Method, Path extends PathWith<M>>(
  method: M,
  path: Path,
  { signal, ifMatch, ...init }: CallOptions<ParametersOf<Path, M>, BodyOf<Path, M>> = {},
): Promise<Reply<AnswerOf<Path, M>>> {
  const name = `${method.toUpperCase()} ${path}`;
  const call = client[method.toUpperCase() as 'GET'] as unknown as Call;
  let answer: Awaited<ReturnType<Call>>;
  try {
    const isText = typeof init.body === 'string';
    const headers = {
      ...(ifMatch !== undefined && { 'If-Match': `"${ifMatch}"` }),
      ...(isText && { 'Content-Type': 'application/yaml' }),
    };
    const bytes = isText && { bodySerializer: (text: string) => text };
    answer = await call(path, { ...init, headers, ...bytes, ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw toSilence(name);
  }
  const { data, error, response } = answer;
  if (!response.ok) throw toFailure(name, response, error);
  const { headers: told } = response;
  return {
    data: data as AnswerOf<Path, M>,
    next: readNextCursor(told.get('link')),
    keptSince: told.get('x-kept-since'),
    total: told.get('x-total'),
  };
}

/** How often screens that stay open read again, in milliseconds. */
export const refreshMs = 5_000;

const thingOf = (key: QueryKey) => JSON.stringify([key[0], (key[1] as { path?: unknown } | undefined)?.path]);

/**
 * A read of the API, with its parameters as its key. The page of rows before stays until the next one is there; what is of another agent
 * or session never does.
 */
export function apiQuery<Path extends PathWith<'get'>>(path: Path, params: ParametersOf<Path> = {} as never) {
  const queryKey = [path, params] as const;
  return queryOptions<Reply<AnswerOf<Path>>>({
    queryKey,
    queryFn: ({ signal }) => callApi('get', path, { params, signal } as never),
    placeholderData: ((before: Reply<AnswerOf<Path>> | undefined, query?: { queryKey: QueryKey }) =>
      query !== undefined && thingOf(query.queryKey) === thingOf(queryKey) ? before : undefined) as never,
  });
}

/** For a call that broke off: that nothing answered, unless somebody gave it up. */
const tellBreak = (call: string, signal?: AbortSignal) => (error: unknown) => {
  throw signal?.aborted ? error : toSilence(call);
};

async function fetchAnswer(path: string, accept: string, signal?: AbortSignal): Promise<Response> {
  const call = `GET ${path}`;
  const init = { headers: { Accept: accept }, ...(signal && { signal }) };
  const response = await fetch(path, init).catch(tellBreak(call, signal));
  if (!response.ok) throw toFailure(call, response, await response.json().catch(() => undefined));
  return response;
}

/**
 * The bytes of an answer of the API, as they came. A link would not send the headers that the API asks for, so the answer is fetched and
 * then saved.
 * @throws ApiFailure
 */
export async function fetchFile(path: `/api/v1/${string}`, accept = 'application/json'): Promise<Blob> {
  return await (await fetchAnswer(path, accept)).blob();
}

/**
 * One page of the API as text, with the path of the next one.
 * @throws ApiFailure whatever goes wrong, except an abort by `signal`
 */
export async function fetchPage(path: string, signal: AbortSignal) {
  const response = await fetchAnswer(path, 'application/json', signal);
  const text = await response.text().catch(tellBreak(`GET ${path}`, signal));
  const { headers } = response;
  return { text, next: readNext(headers.get('link')), keptSince: headers.get('x-kept-since') };
}

/** Has the browser save a file. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** The time that sums at a glance cover: one for all, so that the header and the first screen share a read. */
export const defaultWindow = '24h';

/** Everything at a glance, every three seconds: for the header and for the first screen. */
export const statusQuery = (from: '1h' | 'today' | '24h' | '7d' = defaultWindow) => ({
  ...apiQuery('/api/v1/status', { query: { from } }),
  refetchInterval: 3_000,
});

/** All policies with their hits, which are counted anew each time. */
export const policiesQuery = {
  ...apiQuery('/api/v1/policies', { query: { expand: 'hits' } }),
  refetchInterval: 10_000,
};

/** All budgets beside the daily caps, with what is used of each. */
export const budgetsQuery = { ...apiQuery('/api/v1/budgets/list'), refetchInterval: refreshMs };

/** As many alerts as are shown at a glance. */
export const mostOpen = 50;

/** Alerts that are not over, the worst first. */
export const alertsQuery = (query: { state: 'open' | 'unresolved'; agent_id?: string }) => ({
  ...apiQuery('/api/v1/alerts', { query: { ...query, limit: mostOpen } }),
  refetchInterval: refreshMs,
});

/** Rules of what is told, and where it goes. */
export const rulesQuery = { ...apiQuery('/api/v1/notification-rules'), refetchInterval: refreshMs };
export const targetsQuery = { ...apiQuery('/api/v1/notification-targets'), refetchInterval: refreshMs };

export type UsageRange = Partial<Record<'from' | 'to' | 'agent_id', string | undefined>>;

/** Sums of a range by groups; `top` of them, the dearest first or those that failed most. */
export const usageQuery = (range: UsageRange, groups: readonly string[], top?: number, order?: 'cost' | 'failed') =>
  apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: groups.join(',') || undefined, top, order } });

/**
 * A change of something stored. It is done when every screen that shows it has read it again: nothing is shown before storage says so.
 * @param change calls the API
 */
export function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation<Result, ApiFailure, Input>({
    mutationFn: change,
    // A change may have been made although its answer was lost: what is shown is read again either way.
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
}

const mostRetries = 2;

function mayHelpToRetry(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === null || error.status >= 500 || error.status === 429);
}

/** Answers of the API that screens share. One that says that nobody is signed in makes the page ask who is. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (isSignedOut(error) && queryKey[0] !== sessionKey[0])
          void client.invalidateQueries({ queryKey: sessionKey });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        gcTime: 60_000,
        retry: (count, error) => count < mostRetries && mayHelpToRetry(error),
        retryDelay: (count) => 500 * 2 ** count,
      },
    },
  });
  return client;
}
