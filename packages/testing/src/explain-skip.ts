import { MissingServerError } from '@agp/local-stack/servers';

/**
 * Says why tests are left out that need a server which is not on this machine. In CI they fail instead, since nobody would look there for what
 * was skipped.
 *
 * @param error what the search for the server threw
 * @throws the same error, where it is another or `CI` is set
 */
export function explainSkip(error: unknown, environment: NodeJS.ProcessEnv = process.env): string {
  if (!(error instanceof MissingServerError) || environment.CI !== undefined) throw error;
  return `NOT CHECKED. ${error.message}`;
}
