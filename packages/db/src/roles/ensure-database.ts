import { splitServerUrl } from '@agp/core/text';
import pg from 'pg';
import { StorageUnavailableError } from '../open-guarded-database.ts';
import { askRole } from '../primary/ask-role.ts';

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
    const { isStandby } = await askRole(client, true);
    if (isStandby) throw new Error('the server is a standby, not the primary');
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** The first of the servers that takes writes. Rejects with {@link noSuchDatabase} if one says so, else with the last reason. */
async function connectToPrimary(urls: readonly string[]): Promise<pg.Client> {
  let reason: unknown;
  for (const url of urls) {
    try {
      return await connect(url);
    } catch (error) {
      if ((reason as { code?: unknown } | undefined)?.code !== noSuchDatabase) reason = error;
    }
  }
  throw reason;
}

/**
 * Makes the database that a URL names, unless it exists. It compares text by bytes, whatever the server's locale.
 *
 * @throws StorageUnavailableError when the server cannot be reached
 */
export async function ensureDatabase(url: string): Promise<void> {
  const servers = splitServerUrl(url);
  try {
    await (await connectToPrimary(servers)).end();
  } catch (error) {
    if ((error as { code?: unknown }).code !== noSuchDatabase) throw new StorageUnavailableError(error);
    const targets = servers.map((server) => new URL(server));
    const name = decodeURIComponent(targets[0]?.pathname.slice(1) ?? '');
    const elsewhere = targets.map((target) => Object.assign(target, { pathname: '/postgres' }).href);
    const client = await connectToPrimary(elsewhere).catch((cause: unknown) => {
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
