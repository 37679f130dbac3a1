import { openDatabase } from '@agp/db';

/** Gives every second agent a cap that it does not reach. */
export async function setCaps(databaseUrl: string): Promise<void> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  await database.pool.query(`
    UPDATE agents SET daily_cap_usd = 100000
    WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY name) AS row FROM agents) AS numbered WHERE row % 2 = 0)`);
  await database.close();
}
