import { MissingServerError } from '@agp/local-stack/servers';

/**
 * Explains why tests are skipped: they need a server that is not on this machine. In CI they fail instead, since nobody would
 * notice skipped tests there.
 *
 * @param error the error of the search for the server
 * @throws the same error, unless it is a MissingServerError and `CI` is unset
 */
export function explainSkip(error: unknown, environment: NodeJS.ProcessEnv = process.env): string {
  if (!(error instanceof MissingServerError) || environment.CI !== undefined) throw error;
  return `NOT CHECKED. ${error.message}`;
}
