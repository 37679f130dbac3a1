import { ruleSchema } from '@agp/alerts';
import type { EventMessage } from '@agp/core/events';
import { createDocument, type Database, openGuardedDatabase } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { startTestStack } from '@agp/testing';
import { beforeEach, expect } from 'vitest';
import { AlertWatch } from '../../src/alerts/alert-watch.ts';
import { makeEvent } from './make-event.ts';
import { seedEvents } from './seed.ts';

export interface WatchedAlerts {
  /** As the service has it. */
  database: Database;
  /** As its owner has it, for what a test puts there. */
  owner: Database;
  /** Looks as a new process would, now or so many minutes on. */
  look(minutesOn?: number): Promise<void>;
  watch(): AlertWatch;
  rule(rule: object): Promise<string>;
  /** Makes a target that nobody delivers to. */
  target(name: string, kind?: string): Promise<void>;
  /** Records so many calls of an agent, all at once, a minute or so many minutes ago. */
  call(agentId: string, count: number, fields?: Partial<EventMessage>, minutesAgo?: number): Promise<void>;
  /** Titles of the alerts that are open, and of those that are over, in their order. */
  alerts(): Promise<{ open: string[]; over: string[] }>;
  /** What waits to be delivered, in its order. */
  messages(): Promise<string[]>;
}

/** An empty database for each test, without the rules that an installation begins with. */
export function shareWatchedAlerts(): WatchedAlerts {
  const shared = {} as WatchedAlerts;
  const logger = createLogger('management', 'silent');
  const watch = () => {
    const { db } = shared.database;
    return new AlertWatch({ db, reads: db, notifier: { wake() {} }, logger });
  };
  beforeEach(async () => {
    const stack = await startTestStack();
    const open = (url: string) =>
      openGuardedDatabase({ url, applicationName: 'watch-test', maxConnections: 4, pipeline: true });
    const [database, owner] = [open(stack.urls.management.databaseUrl), open(stack.databaseUrl)];
    await owner.pool.query('DELETE FROM notification_rules');
    Object.assign(shared, { database, owner });
    return async () => {
      await database.close();
      await owner.close();
      await stack[Symbol.asyncDispose]();
    };
  });
  return Object.assign(shared, {
    watch,
    look: (minutesOn = 0) => watch().look(new Date(Date.now() + minutesOn * 60_000), 0),
    async rule(rule: object) {
      const made = await createDocument(
        shared.database.db,
        'rule',
        { document: ruleSchema.parse({ name: 'rule', ...rule }) },
        { most: 100, team: null },
      );
      if (typeof made === 'string' || !('id' in made)) throw new Error(JSON.stringify(made));
      return made.id;
    },
    async target(name: string, kind = 'webhook') {
      expect(
        await createDocument(
          shared.database.db,
          'target',
          { document: { kind, name }, secrets: {} },
          { most: 10, team: null },
        ),
      ).toHaveProperty('id');
    },
    async call(agentId: string, count: number, fields: Partial<EventMessage> = {}, minutesAgo = 1) {
      const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
      const calls = Array.from({ length: count }, () => makeEvent(agentId, `ses_${agentId}`, at, fields));
      await seedEvents(shared.owner, calls);
    },
    async alerts() {
      const rows = await shared.database.db
        .selectFrom('alerts')
        .selectAll()
        .orderBy('opened_at')
        .orderBy('title')
        .execute();
      const of = (isOpen: boolean) =>
        rows.filter(({ resolved_at }) => (resolved_at === null) === isOpen).map(({ title }) => title);
      return { open: of(true), over: of(false) };
    },
    async messages() {
      const rows = await shared.database.db
        .selectFrom('alert_deliveries')
        .innerJoin('alerts', 'alerts.id', 'alert_id')
        .innerJoin('notification_targets', 'notification_targets.id', 'target_id')
        .select(['notification_targets.name', 'occasion', 'title'])
        .orderBy('seq')
        .execute();
      return rows.map(({ name, occasion, title }) => `${name} ${occasion}: ${title}`);
    },
  } satisfies Partial<WatchedAlerts>);
}
