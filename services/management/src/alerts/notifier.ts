import { randomUUIDv7 } from 'node:crypto';
import type { lookup } from 'node:dns';
import type { Tested } from '@agp/alerts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  claimFeeds,
  type Db,
  type DocumentRow,
  disableTarget,
  pruneDeliveries,
  type Settled,
  settleDelivery,
} from '@agp/db';
import { every, type Logger, withTimeout } from '@agp/runtime';
import { createEgress } from '@agp/runtime/egress';
import type { ManagementConfig } from '@agp/settings';
import { maxFedAlerts, maxTargetTests, messagesInHand } from '../limits.ts';
import { planNext } from './retries.ts';
import { lastingMs } from './senders/alertmanager.ts';
import { createMailer } from './senders/email.ts';
import { exampleAlert, type Message, writeMessage } from './senders/message.ts';
import { pagerdutyOrigins } from './senders/pagerduty.ts';
import { failed, type Outcome, Poster } from './senders/post.ts';
import { writeReport } from './senders/report.ts';
import { fedKinds, type Means, send } from './senders/senders.ts';

const lookEveryMs = 1_000;
const feedEveryMs = 30_000;
const pruneEveryMs = 3_600_000;
/** How long its end waits for what is in hand; what is cut off then is sent again by another process. */
const patienceMs = 3_000;

export interface NotifierOverrides {
  lookup?: typeof lookup;
  pagerdutyOrigins?: typeof pagerdutyOrigins;
}

type Settings = Pick<
  ManagementConfig,
  'consoleOrigin' | 'notificationAllowedHosts' | 'smtpUrl' | 'smtpFrom' | 'httpsProxy' | 'httpProxy' | 'noProxy'
>;

/**
 * Delivers messages to targets: each at least once, those of one line in their order, and no target waits for another. Any number of
 * processes share the work. To deliver, to feed and to prune each ask Postgres one thing at a time, so that changes hardly wait for it.
 */
export class Notifier {
  readonly #db: Db;
  readonly #consoleOrigin: string | undefined;
  readonly #logger: Logger;
  readonly #means: Means;
  readonly #ending = new AbortController();
  readonly #inHand = new Map<string, Promise<void>>();
  /** By targets' ids, how many messages are in hand. */
  readonly #taken = new Map<string, number>();
  /** By targets' ids, until when they asked to be left alone. */
  readonly #quietUntil = new Map<string, number>();
  readonly #toNote: (() => Promise<void>)[] = [];
  /** By targets' ids, why they could not be fed last. */
  readonly #feedFaults = new Map<string, string>();
  readonly #stopJobs: (() => Promise<void>)[];
  #tests = 0;
  #isWoken = false;
  #isStopping = false;
  #turn: Promise<void> | null = null;

  constructor(db: Db, config: Settings, logger: Logger, overrides: NotifierOverrides = {}) {
    this.#db = db;
    this.#consoleOrigin = config.consoleOrigin;
    this.#logger = logger;
    const egress = createEgress(config);
    this.#means = {
      poster: new Poster(config.notificationAllowedHosts, egress, overrides.lookup),
      mailer: createMailer(config, egress),
      origins: overrides.pagerdutyOrigins ?? pagerdutyOrigins,
      ending: this.#ending.signal,
    };
    const prune = async () => {
      while (!(await pruneDeliveries(db)));
    };
    this.#stopJobs = [
      every(lookEveryMs, () => this.wake()),
      every(lookEveryMs, () => this.#feed(), this.#warn('Alertmanagers could not be told what is open')),
      every(pruneEveryMs, prune, this.#warn('old messages could not be removed')),
    ];
  }

  #warn(message: string) {
    return (error: Error) => this.#logger.warn({ error: error.message }, `${message}; it is tried again`);
  }

  /** Looks for messages at once. */
  wake(): void {
    this.#isWoken = true;
    this.#turn ??= this.#takeTurns().finally(() => {
      this.#turn = null;
    });
  }

  async #takeTurns(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      await this.#look().catch(this.#warn('messages to targets could not be looked for'));
    }
  }

  async #look(): Promise<void> {
    for (let [note] = this.#toNote; note; [note] = this.#toNote) {
      await note();
      this.#toNote.shift();
    }
    if (this.#isStopping) return;
    const now = Date.now();
    const quiet = [...this.#quietUntil].filter(([, until]) => until > now).map(([id]) => [id, messagesInHand] as const);
    const taken = new Map([...this.#taken, ...quiet]);
    for (const claimed of await claimDeliveries(this.#db, { most: messagesInHand, taken })) this.#deliver(claimed);
  }

  #deliver(claimed: ClaimedDelivery): void {
    const { id, target } = claimed;
    this.#taken.set(target.id, (this.#taken.get(target.id) ?? 0) + 1);
    const delivering = this.#send(claimed).then((outcome) => {
      this.#inHand.delete(id);
      if (this.#ending.signal.aborted) return;
      this.#toNote.push(() => this.#note(claimed, outcome));
      this.wake();
    });
    this.#inHand.set(id, delivering);
  }

  #send({ id, occasion, alert, report, target }: ClaimedDelivery): Promise<Outcome | null> {
    if (report !== null)
      return send(target, [writeReport({ id, report, consoleOrigin: this.#consoleOrigin })], this.#means);
    if (occasion === 'report') return Promise.resolve(null);
    const row = alert ?? (occasion === 'test' ? exampleAlert(id, target.name, new Date()) : null);
    if (row === null) return Promise.resolve(null);
    return send(target, [writeMessage({ id, occasion, row, consoleOrigin: this.#consoleOrigin })], this.#means);
  }

  /** @param outcome null if there is nothing to send any more */
  async #note({ id, attempts, target }: ClaimedDelivery, outcome: Outcome | null): Promise<void> {
    const settled: Settled =
      outcome === null ? { state: 'dead', error: 'its alert was removed' } : planNext(outcome, attempts);
    // Before it is noted: if one of the two fails, both are done again.
    if (outcome?.isGone) await this.#disable(target, outcome);
    await settleDelivery(this.#db, id, settled);
    if (outcome?.waitMs) this.#quietUntil.set(target.id, Date.now() + outcome.waitMs);
    const left = (this.#taken.get(target.id) ?? 1) - 1;
    if (left > 0) this.#taken.set(target.id, left);
    else this.#taken.delete(target.id);
    if (settled.state === 'dead')
      this.#logger.warn({ target: target.name, delivery: id, error: settled.error }, 'a message was given up');
  }

  async #disable(target: DocumentRow<'target'>, { error }: Outcome): Promise<void> {
    await disableTarget(this.#db, target, `its receiver is gone: ${error}`);
    this.#logger.warn({ target: target.name, error }, 'nothing is sent to a target any more, until it is changed');
  }

  async #feed(): Promise<void> {
    const feeds = await claimFeeds(this.#db, {
      ...{ kinds: fedKinds, everyMs: feedEveryMs, lastingMs: 2 * lastingMs, most: maxFedAlerts },
    });
    for (const { target, alerts } of feeds) {
      const messages = alerts.map((row) => {
        const occasion = row.resolved_at === null ? 'opened' : 'resolved';
        return writeMessage({ id: row.id, occasion, row, consoleOrigin: this.#consoleOrigin });
      });
      // Nobody waits for it: the next time comes all the same.
      if (messages.length > 0) void this.#feedOne(target, messages as [Message, ...Message[]]);
    }
  }

  async #feedOne(target: DocumentRow<'target'>, messages: [Message, ...Message[]]): Promise<void> {
    const outcome = await send(target, messages, this.#means);
    const { error } = outcome;
    if (error !== null && this.#feedFaults.get(target.id) !== error)
      this.#logger.warn({ target: target.name, error }, 'an Alertmanager was not told what is open; it is tried again');
    if (error === null) this.#feedFaults.delete(target.id);
    else this.#feedFaults.set(target.id, error);
    if (outcome.isGone) await this.#disable(target, outcome).catch(this.#warn('a target could not be disabled'));
  }

  /** Sends a test message once. Never rejects. */
  async test(target: DocumentRow<'target'>): Promise<Tested> {
    if (this.#tests >= maxTargetTests) return failed('other targets are being tested: try again');
    this.#tests += 1;
    try {
      const id = randomUUIDv7();
      const row = exampleAlert(id, target.name, new Date());
      const message = writeMessage({ id, occasion: 'test', row, consoleOrigin: this.#consoleOrigin });
      const { delivered, status, error } = await send(target, [message], this.#means);
      return { delivered, status, error };
    } finally {
      this.#tests -= 1;
    }
  }

  /** What is in hand gets a moment, and is noted; nothing more is taken. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#stopJobs.map((stop) => stop()));
    await withTimeout(Promise.all(this.#inHand.values()), patienceMs).catch(() => {});
    // What this cuts off is not noted: its lease ends.
    this.#ending.abort();
    await this.#turn;
    await this.#means.poster.close();
  }
}
