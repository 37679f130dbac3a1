import { connectBus } from '@agp/bus';
import { connectRedis } from '@agp/reservations';
import { type System, waitFor } from '../../system/start-system.ts';

/** Everything that a product gives out or keeps, as text, with where it was found. */
export class Outputs {
  readonly texts: { source: string; text: string }[] = [];

  add(source: string, text: string): void {
    this.texts.push({ source, text });
  }

  /** How much there is of a source: nothing can be found in what was never looked at. */
  size(source: string): number {
    return this.texts
      .filter((found) => found.source.startsWith(source))
      .reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Where secrets occur, plain or in another spelling, as `name of the secret: source`. */
  find(secrets: Readonly<Record<string, string>>): string[] {
    const found = new Set<string>();
    for (const [name, secret] of Object.entries(secrets)) {
      const spellings = spell(secret);
      for (const { source, text } of this.texts) {
        const lowered = text.toLowerCase();
        if (spellings.some((spelling) => lowered.includes(spelling))) found.add(`${name}: ${source}`);
      }
    }
    return [...found];
  }
}

/** Also as it stands within a base64 text, whose letters depend on what is before it. */
function spell(secret: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from('_'.repeat(shift) + secret).toString('base64');
    // The letters at both ends hold bits of the neighbours.
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  const spellings = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...encoded];
  return spellings.map((spelling) => spelling.toLowerCase());
}

/** Keeps every message that goes over NATS from now on. @returns stops */
export async function followBus(system: System, outputs: Outputs): Promise<() => Promise<void>> {
  const connection = await connectBus({ url: system.stack.natsUrl, name: 'canaries' });
  connection.subscribe('>', {
    callback: (_, message) => {
      const headers = message.headers ? JSON.stringify([...message.headers]) : '';
      outputs.add(`nats ${message.subject.split('.').slice(0, 2).join('.')}`, `${headers}${message.string()}`);
    },
  });
  await connection.flush();
  return () => connection.close();
}

/** Every row of every table; binary columns appear in hex. */
export async function readTables({ database: { pool } }: System, outputs: Outputs): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  for (const { name } of rows) {
    const found = await pool.query<{ row: string }>(`SELECT each::text AS row FROM ${name} AS each`);
    outputs.add(`table ${name}`, found.rows.map(({ row }) => row).join('\n'));
  }
}

/** Every key of Redis with its value. */
export async function readRedis(system: System, outputs: Outputs): Promise<void> {
  const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 5_000 });
  try {
    await waitFor('the connection to Redis', () => redis.status === 'ready');
    for (const key of await redis.keys('*')) {
      const value = (await redis.dumpBuffer(key)) ?? Buffer.alloc(0);
      outputs.add('redis', `${key} ${value.toString('latin1')}`);
    }
  } finally {
    redis.disconnect();
  }
}

/** The metrics of all services. */
export async function readMetrics(system: System, outputs: Outputs): Promise<void> {
  for (const { opsUrl } of [...system.proxies, ...system.writers, system.management]) {
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      outputs.add('metrics', await (await fetch(`${opsUrl}${path}`)).text());
    }
  }
}

/** What the management API answers to every GET that needs no id. */
export async function readApi(system: System, outputs: Outputs): Promise<void> {
  const { paths } = await system.api<{ paths: Record<string, { get?: unknown }> }>('/openapi.json');
  for (const [path, { get }] of Object.entries(paths)) {
    if (!get || path.includes('{') || path.endsWith('/stream')) continue;
    const answer = await fetch(`${system.management.url}${path}`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    outputs.add(`api ${path}`, JSON.stringify([...answer.headers]) + (await answer.text()));
  }
}
