import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure, isSignedOut } from './api-failure.ts';
import { sessionKey } from './session.ts';

const mostRetries = 2;

/** Mistakes stay mistakes; a server that is away or busy may be back in a moment. */
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
