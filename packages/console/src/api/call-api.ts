import createClient from 'openapi-fetch';
import { toFailure, toSilence } from './api-failure.ts';
import { consoleHeaders } from './read-half.ts';
import type { paths } from './schema.d.ts';

type Method = 'get' | 'put' | 'post' | 'delete';
/** Paths of the API that have a method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof paths];

type Operation<Path extends keyof paths, M extends Method> = paths[Path][M];
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : undefined;

/** The JSON of an operation's answer; undefined where it has none. */
export type AnswerOf<Path extends keyof paths, M extends Method = 'get'> =
  Operation<Path, M> extends { responses: infer Responses }
    ? JsonOf<Responses[keyof Responses & (200 | 201 | 204)]>
    : never;

/** Parameters of an operation: `query` and `path`. */
export type ParametersOf<Path extends keyof paths, M extends Method = 'get'> =
  Operation<Path, M> extends { parameters: infer Parameters }
    ? { [Place in 'query' | 'path' as Place extends keyof Parameters ? Place : never]?: Filled<Parameters, Place> }
    : never;

type Filled<Parameters, Place> = Place extends keyof Parameters ? Loose<Exclude<Parameters[Place], undefined>> : never;
type Loose<Values> = { [Name in keyof Values]: Values[Name] | undefined };

/** The body of an operation; undefined where it takes none. */
export type BodyOf<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends { requestBody?: { content: { 'application/json': infer Json } } } ? Json : undefined;

/** What came back, and the cursor of the next page where there is one. */
export interface Reply<Data> {
  data: Data;
  next: string | null;
}

const client = createClient<paths>({ baseUrl: window.location.origin });

type Call = (path: string, init: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** The cursor in `Link: <...?cursor=...>; rel="next"`. */
export function readNextCursor(link: string | null): string | null {
  const [, address] = /<([^>]{1,2000})>\s*;\s*rel="next"/.exec(link ?? '') ?? [];
  return address === undefined ? null : new URLSearchParams(address.split('?')[1] ?? '').get('cursor');
}

/**
 * One call of the management API as whoever is signed in.
 *
 * @throws ApiFailure whatever goes wrong, except an abort by `signal`
 */
export async function callApi<M extends Method, Path extends PathWith<M>>(
  method: M,
  path: Path,
  { signal, ...init }: { params?: ParametersOf<Path, M>; body?: BodyOf<Path, M>; signal?: AbortSignal } = {},
): Promise<Reply<AnswerOf<Path, M>>> {
  const name = `${method.toUpperCase()} ${path}`;
  const call = client[method.toUpperCase() as 'GET'] as unknown as Call;
  let answer: Awaited<ReturnType<Call>>;
  try {
    answer = await call(path, { ...init, headers: consoleHeaders(), ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw toSilence(name);
  }
  const { data, error, response } = answer;
  if (!response.ok) throw toFailure(name, response, error);
  return { data: data as AnswerOf<Path, M>, next: readNextCursor(response.headers.get('link')) };
}
