import { inject } from 'vitest';
import { openTestGuard } from './open-test-guard.ts';
import { startThrowAwayPostgres } from './servers/throw-away-postgres.ts';

/** A Postgres of a test's own that knows nothing of the product: no role, no table. The URL is a superuser's. */
export async function startBlankPostgres(): Promise<{ databaseUrl: string } & AsyncDisposable> {
  const guard = openTestGuard();
  try {
    const { url } = await startThrowAwayPostgres(inject('agpTestServers').blankPostgres, guard);
    return { databaseUrl: url, [Symbol.asyncDispose]: () => guard.stop() };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}
