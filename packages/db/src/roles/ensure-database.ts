import pg from 'pg';
import { refuseStandby } from '../database.ts';
import { StorageUnavailableError } from '../open-guarded-database.ts';

const noSuchDatabase = '3D000';
const alreadyThere = '42P04';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'agp-create-roles',
    connectionTimeoutMillis: 5_000,
  });
  try {
    await client.connect();
    await refuseStandby(client);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** It compares text by bytes, whatever the server's locale. Throws StorageUnavailableError. */
export async function ensureDatabase(url: string): Promise<void> {
  try {
    await (await connect(url)).end();
  } catch (error) {
    if ((error as { code?: unknown }).code !== noSuchDatabase) throw new StorageUnavailableError(error);
    const target = new URL(url);
    const name = decodeURIComponent(target.pathname.slice(1));
    const client = await connect(Object.assign(target, { pathname: '/postgres' }).href).catch((cause: unknown) => {
      throw new StorageUnavailableError(cause);
    });
    try {
      await client.query(
        `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`,
      );
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== alreadyThere) throw cause;
    } finally {
      await client.end();
    }
  }
}
