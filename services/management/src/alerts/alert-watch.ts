import { type KindName, kinds, type Rule, type RulePreview, tell } from '@agp/alerts';
import { toPublicId } from '@agp/core/ids';
import {
  type Db,
  listDocuments,
  listOpenAlerts,
  listUntold,
  lockWatch,
  noteLook,
  noteTold,
  readAuditSince,
  removeOldAlerts,
  resolveAlerts,
  takeTurn,
} from '@agp/db';
import { every, type Logger } from '@agp/runtime';
import { costFinder, piiFinder, policyFinder, refusalFinder } from './causes/calls.ts';
import { failingFinder } from './causes/failing.ts';
import { type Cause, type Finder, Look } from './causes/look.ts';
import { changeFinder, seenFinder, toldActions } from './causes/news.ts';
import { recordingFinder } from './causes/records.ts';
import { surgeFinder } from './causes/surges.ts';
import { budgetFinder, capFinder } from './causes/used.ts';
import { verifyChains } from './chains.ts';
import { tellEnds } from './ends.ts';
import type { Notifier } from './notifier.ts';
import { countMessages, matchRules, settleRule, sortCauses, type WatchedRule } from './settle.ts';

/** How often causes are looked for, and how often it is tried to verify chains, in milliseconds. */
const everyMs = { causes: 5_000, chains: 60_000 };
/** The longest of those of one kind. */
const longestEveryMs = 15_000;
/** How long alerts that are over are kept, in milliseconds. */
const keptMs = 400 * 86_400_000;
const mostRemoved = 1_000;
/** New names that are read in one look. */
const mostNames = 10_000;
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
  surge: surgeFinder,
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

interface Found {
  at: Date;
  /** Causes by the ids and versions of rules; null if they could not be looked for, and then what is open stays so. */
  found: ReadonlyMap<string, readonly Cause[] | null>;
  /** What ended alerts, by their ids. */
  ends: ReadonlyMap<string, string>;
  /** No other look told the news. */
  isFresh: boolean;
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

  /** Verifies chains, unless another process does, and removes old alerts. */
  async verify(): Promise<void> {
    const { db, reads, notifier } = this.#sources;
    if (await verifyChains(db, reads)) notifier.wake();
    await removeOldAlerts(db, new Date(Date.now() - keptMs), mostRemoved);
  }

  /**
   * Settles all rules, unless another process did so within `leastMs` milliseconds. Causes are looked for before the transaction begins: it is
   * short, however long they take.
   */
  async look(at = new Date(), leastMs = 0.9 * everyMs.causes): Promise<void> {
    const { db, reads, notifier } = this.#sources;
    const turn = await takeTurn(db, leastMs);
    if (turn === undefined) return;
    const { rules } = matchRules(await listDocuments(reads, 'rule'), await listOpenAlerts(reads));
    const { rows, next } = await readAuditSince(reads, turn.audit_seq, toldActions);
    const untold = await listUntold(reads, mostNames);
    const seen = untold.filter(({ seen_at }) => seen_at >= turn.learned_at);
    const look = new Look(reads, { at, news: { entries: rows.map(({ payload }) => payload), seen } }, this.#memory);
    const found = new Map<string, readonly Cause[] | null>();
    const ends = new Map<string, string>();
    const due = rules.filter(({ rule }) => this.#isDue(rule.on, at));
    for (const each of due) {
      const last = this.#looked.get(each.rule.on) ?? turn.looked_at.getTime() - longestEveryMs;
      const causes = await this.#find(look, each, new Date(last));
      found.set(`${each.row.id} ${each.row.version}`, causes);
      if (causes !== null) for (const [id, end] of await this.#tellEnds(each, causes, at)) ends.set(id, end);
    }
    for (const { rule } of due) this.#looked.set(rule.on, at.getTime());
    const isNews = await db.transaction().execute(async (transaction) => {
      const now = await lockWatch(transaction);
      if (now === undefined) return false;
      // Else another look was faster, and told the news.
      const isFresh = now.audit_seq === turn.audit_seq;
      const { isChanged, isWhole } = await this.#settle(transaction, { at, found, ends, isFresh });
      // What a rule could not be asked for is looked at again: of each there is one alert.
      if (isFresh && isWhole) {
        await noteLook(transaction, next);
        await noteTold(transaction, untold);
      }
      return isChanged;
    });
    if (isNews) notifier.wake();
  }

  async #settle(
    transaction: Db,
    { at, found, ends, isFresh }: Found,
  ): Promise<{ isChanged: boolean; isWhole: boolean }> {
    const { rules, orphans } = matchRules(await listDocuments(transaction, 'rule'), await listOpenAlerts(transaction));
    const targets = await listDocuments(transaction, 'target');
    await resolveAlerts(transaction, orphans);
    let isChanged = orphans.length > 0;
    let isWhole = true;
    for (const each of rules) {
      const causes = found.get(`${each.row.id} ${each.row.version}`);
      const finder = finderOf(each.rule.on);
      const isNews = finder?.everyMs === 0;
      if (isNews && !causes) isWhole = false;
      if (!finder || !causes || (isNews && !isFresh)) continue;
      const { isExact, most } = finder;
      isChanged = (await settleRule(transaction, each, causes, { targets, at, ends, isExact, most })) || isChanged;
    }
    return { isChanged, isWhole };
  }

  #isDue(kind: KindName, at: Date): boolean {
    const finder = finderOf(kind);
    return finder !== undefined && at.getTime() - (this.#looked.get(kind) ?? 0) >= finder.everyMs;
  }

  /** Null if it could not be looked. */
  async #find(look: Look, { rule, open }: WatchedRule, last: Date): Promise<readonly Cause[] | null> {
    try {
      return (await finderOf(rule.on)?.find(look, rule, open, last)) ?? null;
    } catch (error) {
      const { message } = error as Error;
      this.#sources.logger.warn({ rule: rule.name, error: message }, 'causes of a rule could not be looked for');
      return null;
    }
  }

  /** Never rejects: an alert that is over ends without a phrase, too. */
  async #tellEnds(watched: WatchedRule, causes: readonly Cause[], at: Date): Promise<ReadonlyMap<string, string>> {
    const { rule, open } = watched;
    if (open.length === 0) return new Map();
    const { isExact, most } = finderOf(rule.on) ?? {};
    const { over } = sortCauses(watched, causes, { at, isExact, most });
    if (over.length === 0) return new Map();
    try {
      return await tellEnds(this.#sources.reads, rule, over, at);
    } catch (error) {
      const { message } = error as Error;
      this.#sources.logger.warn({ rule: rule.name, error: message }, 'what ended alerts of a rule could not be told');
      return new Map();
    }
  }

  /** What a rule would have open now: what is told once alone is not among it. @param db reads it */
  async preview(db: Db, rule: Rule): Promise<RulePreview> {
    const at = new Date();
    const look = new Look(db, { at, news: { entries: [], seen: [] } }, new Map());
    const causes = (await finderOf(rule.on)?.find(look, rule, [], at)) ?? [];
    const lasting = causes.filter(({ ends }) => ends === undefined);
    return {
      count: lasting.length,
      messages: countMessages(rule, lasting.length, await listDocuments(db, 'target')),
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
