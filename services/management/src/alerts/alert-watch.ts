import { toPublicId } from '@agp/core/ids';
import {
  type Db,
  listOpenAlerts,
  listRules,
  listTargets,
  noteLook,
  readAuditSince,
  removeOldAlerts,
  resolveAlerts,
  takeSeenNames,
  takeWatch,
  type WatchRow,
} from '@agp/db';
import { type KindName, kinds, type Rule, type RulePreview, tell } from '@agp/notifications';
import { every, type Logger } from '@agp/runtime';
import { costFinder, piiFinder, policyFinder, refusalFinder } from './causes/calls.ts';
import { failingFinder } from './causes/failing.ts';
import { type Cause, type Finder, Look } from './causes/look.ts';
import { changeFinder, seenFinder, toldActions } from './causes/news.ts';
import { recordingFinder } from './causes/records.ts';
import { budgetFinder, capFinder } from './causes/used.ts';
import { verifyChains } from './chains.ts';
import type { Notifier } from './notifier.ts';
import { matchRules, settleRule, type WatchedRule } from './settle.ts';

/** How often causes are looked for, and how often it is tried to verify chains, in milliseconds. */
const everyMs = { causes: 5_000, chains: 60_000 };
/** How long alerts that are over are kept. */
const keptDays = 400;
const mostRemoved = 1_000;
/** Causes that a preview shows. */
const mostShown = 20;

/** Chains are verified apart, since that takes longer. */
const finders: { [Name in Exclude<KindName, 'chain'>]: Finder<Name> } = {
  failing: failingFinder,
  budget: budgetFinder,
  cap: capFinder,
  change: changeFinder,
  policy: policyFinder,
  pii: piiFinder,
  first_seen: seenFinder,
  cost: costFinder,
  refusals: refusalFinder,
  recording: recordingFinder,
};

const finderOf = (kind: KindName) => (kind === 'chain' ? undefined : (finders[kind] as Finder<KindName>));

interface Sources {
  /** For what is noted. */
  db: Db;
  /** For what is looked at, so that no look keeps a change from its connection. */
  reads: Db;
  notifier: Pick<Notifier, 'wake'>;
  logger: Logger;
}

/**
 * Looks for causes of alerts, in one process at a time. Sums are spread over many rows, so that no transaction that records sees what it
 * passes; so what holds is looked at again and again, and each alert is opened once, by its rule and subject.
 */
export class AlertWatch {
  readonly #sources: Sources;
  readonly #memory: ConstructorParameters<typeof Look>[2] = new Map();
  /** When causes of a kind were looked for last. */
  readonly #looked = new Map<KindName, number>();
  #ends: (() => Promise<void>)[] = [];

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Looks again and again, until it is stopped. */
  start(): void {
    const { logger } = this.#sources;
    const warn = ({ message: error }: Error) => logger.warn({ error }, 'causes of alerts could not be looked for');
    this.#ends = [every(everyMs.causes, () => this.look(), warn), every(everyMs.chains, () => this.verify(), warn)];
  }

  /** Verifies chains, unless another process does. */
  async verify(): Promise<void> {
    const { db, reads, notifier } = this.#sources;
    if (await verifyChains(db, reads)) notifier.wake();
  }

  /** Settles all rules, unless another process does. */
  async look(at = new Date()): Promise<void> {
    const { db, notifier } = this.#sources;
    const isNews = await db.transaction().execute(async (transaction) => {
      const watch = await takeWatch(transaction);
      if (watch === undefined) return false;
      return await this.#settle(transaction, watch, at);
    });
    if (isNews) notifier.wake();
  }

  async #settle(transaction: Db, watch: WatchRow, at: Date): Promise<boolean> {
    const { reads } = this.#sources;
    const { rules, orphans } = matchRules(await listRules(transaction), await listOpenAlerts(transaction));
    const targets = await listTargets(transaction);
    const { rows, next } = await readAuditSince(transaction, watch.audit_seq, toldActions);
    const seen = (await takeSeenNames(transaction)).filter(({ seen_at }) => seen_at >= watch.learned_at);
    const news = { entries: rows.map(({ payload }) => payload), seen };
    const look = new Look(reads, { at, last: watch.looked_at, news }, this.#memory);
    await resolveAlerts(
      transaction,
      orphans.map(({ id }) => id),
    );
    let isNews = orphans.length > 0;
    for (const each of rules.filter(({ rule }) => this.#isDue(rule.on, at))) {
      const causes = await this.#find(look, each);
      const isExact = finderOf(each.rule.on)?.isExact ?? false;
      if (causes !== null) isNews = (await settleRule(transaction, each, causes, { targets, at, isExact })) || isNews;
    }
    for (const { rule } of rules) if (this.#isDue(rule.on, at)) this.#looked.set(rule.on, at.getTime());
    await noteLook(transaction, at, next);
    await removeOldAlerts(transaction, look.ago(keptDays * 1_440), mostRemoved);
    return isNews;
  }

  #isDue(kind: KindName, at: Date): boolean {
    const finder = finderOf(kind);
    return finder !== undefined && at.getTime() - (this.#looked.get(kind) ?? 0) >= finder.everyMs;
  }

  /** Null if it could not be looked: what is open then stays so. */
  async #find(look: Look, { rule, open }: WatchedRule): Promise<readonly Cause[] | null> {
    try {
      return (await finderOf(rule.on)?.find(look, rule, open)) ?? null;
    } catch (error) {
      const { message } = error as Error;
      this.#sources.logger.warn({ rule: rule.name, error: message }, 'causes of a rule could not be looked for');
      return null;
    }
  }

  /** What a rule would have open now: what is told once alone is not among it. @param db reads it */
  async preview(db: Db, rule: Rule): Promise<RulePreview> {
    const at = new Date();
    const look = new Look(db, { at, last: at, news: { entries: [], seen: [] } }, new Map());
    const causes = (await finderOf(rule.on)?.find(look, rule, [])) ?? [];
    const lasting = causes.filter(({ ends }) => ends === undefined);
    return {
      count: lasting.length,
      alerts: lasting.slice(0, mostShown).map(({ facts, path, agentId }) => ({
        ...tell(rule.on, facts),
        ...{ path, agent_id: agentId ? toPublicId('agt', agentId) : null },
      })),
      example: tell(rule.on, kinds[rule.on].example),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()));
  }
}
