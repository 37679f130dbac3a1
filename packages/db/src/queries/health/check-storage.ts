import type { Pool } from 'pg';
import { lastMigration } from '../../migrations/index.ts';

/** Readiness checks of Postgres; each rejects while it fails. */
export interface StorageChecks {
  /** Postgres answers. */
  postgres(): Promise<void>;
  /** The last migration of this build is applied. A newer schema is fine: migrations only add. */
  schema(): Promise<void>;
}

/** A service may start before its schema is there, and is not ready then. Migrations are never undone, so one success is remembered. */
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
