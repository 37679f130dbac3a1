import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connectBus, keptStream, Outbox, readBacklog } from '@agp/bus';
import { toPublicId } from '@agp/core/ids';
import { type Database, openDatabase } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { writerConfigSchema } from '@agp/settings';
import { childEnvironment, eventually, runCommandWithin, startTestStack } from '@agp/testing';
import { findDivergence, makeTraffic } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { readSnippets } from '../../../test/docs/read-snippets.ts';
import { startWriter } from '../src/start-writer.ts';

const command = join(import.meta.dirname, '../../../packages/operator/src/commands/replay.ts');
const settings = { opsHost: '127.0.0.1', opsPort: 0, eventStreamMaxBytes: 256 * 1024 ** 2 };

function replay(natsUrl: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
    env: childEnvironment({ NATS_URL: natsUrl }),
  });
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}

const replayWithin = (natsUrl: string, ...args: string[]) => runCommandWithin(command, args, { NATS_URL: natsUrl });

const toUrl = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;

async function use<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = openDatabase({ url, applicationName: 'replay-test', maxConnections: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const usage = `SELECT day::text, agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count
  FROM daily_usage ORDER BY day, agent_id, model`;

/** The contents of a database, after a check that chains and heads are valid and that totals are sums of the events. */
function readConsistent(url: string) {
  return use(url, async ({ pool }) => {
    const { rows } = await pool.query('SELECT id, session_id, seq, lineage_hash, payload FROM events ORDER BY seq');
    const links = rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
    for (const [sessionId, chain] of Map.groupBy(links, (link) => link.session_id as string)) {
      expect(findDivergence(sessionId, chain)).toBeNull();
      const head = await pool.query('SELECT length, hash FROM lineage_heads WHERE session_id = $1', [sessionId]);
      expect(head.rows).toEqual([{ length: chain.length, hash: chain.at(-1)?.lineage_hash }]);
    }
    const totals = await pool.query(`
      SELECT (SELECT sum(cost_usd) FROM events) AS events, (SELECT sum(cost_usd) FROM daily_usage) AS usage,
        (SELECT sum(cost_usd) FROM daily_global_spend) AS global, (SELECT sum(total_cost_usd) FROM sessions) AS sessions`);
    const { events, usage: used, global, sessions } = totals.rows[0];
    expect([used, global, sessions]).toEqual([events, events, events]);
    return { ids: links.map(({ event_id }) => event_id).sort(), usage: (await pool.query(usage)).rows };
  });
}

test('a database that was restored to an earlier point gets every event that came since, once', async () => {
  await using stack = await startTestStack({ nats: true, redis: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'replay-test' });
  const outbox = new Outbox(connection);
  const events = makeTraffic({ events: 500, agents: 5, sessions: 20, eventsPerSession: 40 });
  const all = events.map(({ id }) => id).sort();
  const name = new URL(stack.databaseUrl).pathname.slice(1);
  const copy = `copy_${randomUUID().replaceAll('-', '')}`;
  /** A writer works on a database until the stream is empty. */
  const record = async (database: string, from: number, to: number, work?: () => void) => {
    const databaseUrl = toUrl(stack.urls.writer.databaseUrl, database);
    const config = writerConfigSchema.parse({ ...stack.urls.writer, ...settings, databaseUrl });
    await using _ = await startWriter(config, { logger: createLogger('writer', 'silent') });
    await eventually(() => readBacklog(connection));
    for (const event of events.slice(from, to)) outbox.add(event.id, JSON.stringify(event));
    expect(await outbox.drain(10_000)).toBe(0);
    work?.();
    const empty = { pending: 0, unacknowledged: 0 };
    await eventually(async () => expect(await readBacklog(connection)).toMatchObject(empty));
  };
  const administer = (statement: string) =>
    use(toUrl(stack.databaseUrl, 'postgres'), ({ pool }) => pool.query(statement));

  const begun = new Date().toISOString();
  await record(name, 0, 250);
  const backup = new Date().toISOString();
  await administer(`CREATE DATABASE "${copy}" TEMPLATE "${name}"`);
  try {
    await record(name, 250, 500);
    const lost = await readConsistent(stack.databaseUrl);
    expect(lost.ids).toEqual(all);

    const copyUrl = toUrl(stack.databaseUrl, copy);
    await record(copy, 0, 0);
    expect((await readConsistent(copyUrl)).ids).toHaveLength(250);
    await record(copy, 0, 0, () => {
      const first = replay(stack.urls.operator.natsUrl, '--since', backup);
      expect(first).toMatchObject({ status: 0, stderr: '' });
      // The time of the backup, and the minutes before it.
      expect(first.stdout).toMatch(/^published 500 events again, in (\d+) messages\nof .*: \1 published, 0 .*, 0 no/);
    });
    expect(await readConsistent(copyUrl)).toEqual(lost);

    // From the beginning: what was replayed before is not published twice, and nothing is recorded twice.
    await record(copy, 0, 0, () =>
      expect(replay(stack.urls.operator.natsUrl, '--since', begun)).toEqual({
        // It began before the writer had made the stream.
        status: 1,
        stdout: expect.stringMatching(/^published 500 events again/),
        stderr: expect.stringContaining(`not all is kept of what came between ${begun}`),
      }),
    );
    expect(await readConsistent(copyUrl)).toEqual(lost);

    // The page's own way to agents that are known from their events alone.
    const [addAgents = ''] = readSnippets('docs/operate.md', 'sql');
    const add = () => use(copyUrl, async ({ pool }) => (await pool.query(addAgents)).rowCount);
    expect([await add(), await add()]).toEqual([5, 0]);

    const manager = await connection.jetstreamManager();
    const { state } = await manager.streams.info(keptStream);
    await manager.streams.update(keptStream, { max_msgs: state.messages - 3 });
    await record(copy, 0, 0, () => {
      const late = replay(stack.urls.operator.natsUrl, '--since', begun);
      expect(late).toMatchObject({ status: 1, stdout: expect.stringMatching(/^published \d+ events again/) });
      expect(late.stderr).toMatch(new RegExp(`^not all is kept of what came between ${begun} and .*Z$`));
    });
    expect(await readConsistent(copyUrl)).toEqual(lost);
  } finally {
    outbox.stop();
    await connection.close();
    await administer(`DROP DATABASE IF EXISTS "${copy}" WITH (FORCE)`);
  }
});

test('it prints its usage, and says if nothing is kept', async () => {
  await using stack = await startTestStack({ nats: true });
  const since = new Date().toISOString();
  expect(await replayWithin(stack.natsUrl, '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/npm run replay[\s\S]*NATS_CA_FILE/),
  });
  for (const args of [[], ['--since', 'yesterday'], ['--since', '2999-01-01T00:00:00Z'], ['--since', since, 'more']]) {
    expect(await replayWithin(stack.natsUrl, ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('usage: npm run replay'),
    });
  }
  expect(await replayWithin(stack.natsUrl, '--since', since)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(keptStream),
  });
  expect(replay('', '--since', since)).toMatchObject({ status: 1, stderr: expect.stringContaining('NATS_URL') });
});
