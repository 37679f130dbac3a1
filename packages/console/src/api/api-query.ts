import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, callApi, type ParametersOf, type PathWith, type Reply } from './call-api.ts';

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
