import { type Silence, withSilence } from '@agp/alerts';
import { claimDeliveries, claimFeeds, deleteDocument, settleDelivery } from '@agp/db';
import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();

const until = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const silence = (minutes: number, agents?: string[]): Silence => ({
  until: until(minutes),
  reason: 'migration',
  ...(agents && { agents }),
});
const failed = { outcome: 'completed', http_status: 401 } as const;

/** Delivers all that may be delivered now. */
async function deliver(): Promise<string[]> {
  const { db } = alerts.database;
  const told: string[] = [];
  for (;;) {
    const claimed = await claimDeliveries(db, { most: 10, taken: new Map() });
    if (claimed.length === 0) return told;
    for (const { id, occasion, alert } of claimed) {
      told.push(`${occasion}: ${alert?.title}`);
      await settleDelivery(db, id, { state: 'delivered', error: null });
    }
  }
}

const endSilences = () =>
  alerts.owner.pool.query(`
    UPDATE notification_rules SET rule = jsonb_set(rule, '{silences}', '[{"until": "2026-01-01T00:00:00.000Z", "reason": "over"}]')`);

test('a silent rule tells nobody, its alert stands in the list, and what is still open at the end is told', async () => {
  await alerts.target('chat');
  await alerts.rule({ on: 'failing', of: ['agent'], targets: ['chat'], silences: [silence(60, ['nightly'])] });
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, { ...failed, model: 'a' });
  await alerts.call(await seedAgent(alerts.owner, 'other'), 20, { ...failed, model: 'b' });
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual([
    'agent nightly fails: all 20 requests',
    'agent other fails: all 20 requests',
  ]);
  expect(await deliver()).toEqual(['opened: agent other fails: all 20 requests']);
  await endSilences();
  expect(await deliver()).toEqual(['opened: agent nightly fails: all 20 requests']);
});

test('what came up and was over in a silence is never told, and the end of what was told before is', async () => {
  await alerts.target('chat');
  const id = await alerts.rule({ on: 'failing', targets: ['chat'], quiet_minutes: 0 });
  const silent = () =>
    alerts.owner.pool.query(`UPDATE notification_rules SET rule = rule || $2 WHERE id = $1`, [
      id,
      { silences: [silence(60)] },
    ]);
  await alerts.call(await seedAgent(alerts.owner, 'before'), 20, { ...failed, model: 'a' });
  await alerts.look();
  expect(await deliver()).toEqual(['opened: agent before fails: all 20 requests']);
  await silent();
  await alerts.call(await seedAgent(alerts.owner, 'within'), 20, { ...failed, model: 'b' });
  await alerts.look(0.5);
  await alerts.look(300);
  expect((await alerts.alerts()).over).toHaveLength(2);
  expect(await deliver()).toEqual(['resolved: agent before fails: all 20 requests']);
  await endSilences();
  expect(await deliver()).toEqual([]);
});

test('what is silent takes no place of what is not, and a rule that goes tells nothing that it kept quiet', async () => {
  await alerts.target('chat');
  const quiet = Array.from({ length: 8 }, (_, at) => `quiet-${at}`);
  const id = await alerts.rule({ on: 'failing', of: ['agent'], targets: ['chat'], silences: [silence(60, quiet)] });
  for (const name of [...quiet, 'important'])
    await alerts.call(await seedAgent(alerts.owner, name), 20, { ...failed, model: name });
  await alerts.look();
  expect((await alerts.alerts()).open).toHaveLength(9);
  expect(await deliver()).toEqual(['opened: agent important fails: all 20 requests']);
  await deleteDocument(alerts.database.db, 'rule', id);
  await alerts.look();
  expect(await deliver()).toEqual(['resolved: agent important fails: all 20 requests']);
});

test('an Alertmanager that is default for a severity is fed what rules have that came with the database', async () => {
  await alerts.owner.pool.query(
    `INSERT INTO notification_targets (id, name, target, secrets)
     VALUES (gen_random_uuid(), 'manager', '{"kind": "alertmanager", "default_for": ["critical"]}', '{}')`,
  );
  await alerts.owner.pool.query(
    `INSERT INTO notification_rules (name, rule) VALUES ('seeded', '{"name": "seeded", "on": "failing"}')`,
  );
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, failed);
  await alerts.look();
  const [fed] = await claimFeeds(alerts.database.db, {
    ...{ kinds: ['alertmanager'], everyMs: 0, lastingMs: 600_000, most: 10 },
  });
  expect(fed?.alerts.map(({ rule }) => rule)).toEqual(['seeded']);
});

test('a notice of a silent rule is not told later, and an Alertmanager is not fed what it is silent of', async () => {
  await alerts.target('chat');
  await alerts.target('manager', 'alertmanager');
  const all = { targets: ['chat', 'manager'], silences: [silence(60)] };
  await alerts.rule({ on: 'first_seen', of: ['remote_mcp'], ...all });
  await alerts.rule({ name: 'fails', on: 'failing', ...all });
  const tools = { declared: [{ kind: 'remote_mcp' as const, names: ['files'] }], called: [], more: 0 };
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, { ...failed, tools });
  await alerts.look();
  const feed = async () => {
    const asked = { kinds: ['alertmanager'], everyMs: 0, lastingMs: 600_000, most: 10 };
    const [fed] = await claimFeeds(alerts.database.db, asked);
    return fed?.alerts.map(({ title }) => title) ?? [];
  };
  expect((await alerts.alerts()).open).toEqual(['agent nightly fails: all 20 requests']);
  expect(await feed()).not.toContain('agent nightly fails: all 20 requests');
  await endSilences();
  expect(await deliver()).toEqual(['opened: agent nightly fails: all 20 requests']);
  expect(await feed()).toContain('agent nightly fails: all 20 requests');
});

test('a rule without targets tells those of its severity, a rule with targets only these', async () => {
  const named = (name: string, kind: string, default_for: string[]) =>
    alerts.owner.pool.query(
      `INSERT INTO notification_targets (id, name, target, secrets) VALUES (gen_random_uuid(), $1, $2, '{}')`,
      [name, { kind, name, default_for }],
    );
  await named('pager', 'webhook', ['critical']);
  await named('chat', 'webhook', ['warning', 'info']);
  await named('manager', 'alertmanager', ['critical']);
  await alerts.rule({ on: 'failing' });
  await alerts.rule({ name: 'own', on: 'failing', targets: ['chat'] });
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, failed);
  await alerts.look();
  expect((await alerts.messages()).sort()).toEqual([
    'chat opened: agent nightly fails: all 20 requests',
    'pager opened: agent nightly fails: all 20 requests',
  ]);
  const [fed] = await claimFeeds(alerts.database.db, {
    ...{ kinds: ['alertmanager'], everyMs: 0, lastingMs: 600_000, most: 10 },
  });
  expect(fed?.alerts.map(({ rule }) => rule)).toEqual(['rule']);
});

test('silences that are over go with the next one, and without one all go', () => {
  const rule = { silences: [silence(-1), silence(5)] };
  expect(withSilence(rule, silence(9)).silences?.map(({ until }) => Date.parse(until) > Date.now())).toEqual([
    true,
    true,
  ]);
  expect(withSilence(rule, null)).toEqual({ silences: undefined });
});
