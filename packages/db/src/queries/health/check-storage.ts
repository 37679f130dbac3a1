import type { Pool } from 'pg';
import { lastMigration } from '../../migrations/index.ts';

/** What readiness asks of Postgres; each rejects while it is not so. */
export interface StorageChecks {
  /** Postgres answers. */
  postgres(): Promise<void>;
  /** The last migration that this build knows of is applied. A schema that is ahead of it will do: it only ever gains. */
  schema(): Promise<void>;
}

/**
 * A service may be up before its schema is: it must not be asked to serve then. Migrations are never undone, so once seen it is
 * not looked up again, and later looks tell of Postgres alone.
 */
export function createStorageChecks(pool: Pool): StorageChecks {
  let isUpToDate = false;
  return {
    async postgres() {
      await pool.query('SELECT 1');
    },
    async schema() {
      if (isUpToDate) return;
      const { rowCount } = await pool.query('SELECT FROM kysely_migration WHERE name = $1', [lastMigration]);
      if (rowCount !== 1) throw new Error(`migration ${lastMigration} is not applied yet`);
      isUpToDate = true;
    },
  };
}
