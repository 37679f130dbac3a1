import { randomUUIDv7 } from 'node:crypto';
import type { ErrorCode } from '@agp/core/errors';
import type { RefusalCount, RefusedRequest } from '@agp/db';
import { toNetwork } from '@agp/runtime';
import { listedRefusals, refusalKeys, summedRefusals, waitingRefusals } from '../limits.ts';
import { BatchLog, type BatchLogOptions } from './batch-log.ts';

export interface RefusalLogOptions extends BatchLogOptions<RefusalCount> {
  /** Gets how many refusals are not counted, because too many different ones wait. */
  onDrop(count: number): void;
  /** Different agents and reasons that are counted at a time, and as many again without the agent. */
  maxKeys?: number;
  /** In milliseconds since 1970 UTC. */
  now?: () => number;
}

const minuteMs = 60_000;
const rowsAtOnce = 1_000;

type Described = Pick<RefusedRequest, 'provider' | 'path'>;

export interface CountedRefusal extends Omit<RefusedRequest, 'id' | 'count' | 'added' | keyof Described> {
  reason: ErrorCode;
}

/**
 * Counts refused requests by minute, agent and reason, and lists the first of each; one row of a minute stands for all others that are
 * alike: a flood costs storage no more than a trickle.
 */
export class RefusalLog extends BatchLog<RefusalCount> {
  readonly #counts = new Map<string, RefusalCount>();
  readonly #listed = new Map<string, number>();
  /** The latest state of each row of this minute that stands for many. */
  readonly #sums = new Map<string, RefusedRequest>();
  readonly #taken = new WeakSet<RefusedRequest>();
  #listedMinute = 0;
  #waiting = 0;
  readonly #onDrop: RefusalLogOptions['onDrop'];
  readonly #maxKeys: number;
  readonly #now: () => number;

  constructor({ onDrop, maxKeys = refusalKeys, now = Date.now, ...options }: RefusalLogOptions) {
    super(options);
    this.#onDrop = onDrop;
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  count(refusal: CountedRefusal, describe: () => Described): void {
    const { agentId, reason, rule, sourceIp } = refusal;
    const refusedAt = this.#now();
    const minute = refusedAt - (refusedAt % minuteMs);
    const isListed = this.#mayList(minute, `${agentId ?? ''} ${reason} ${rule?.split(':', 1)[0] ?? ''}`, sourceIp);
    const request = { id: randomUUIDv7(), ...refusal, ...describe(), count: 1, added: 1 };
    const requests = isListed ? [request] : this.#sum(request);
    this.#add({ minute, agentId, reason, count: 1, sourceIp, refusedAt, requests });
  }

  /** The row that a request is counted in, if it does not wait already. Too many different ones lose what tells them apart. */
  #sum(request: RefusedRequest): RefusedRequest[] {
    const anybodys = { ...request, agentId: null, provider: null, path: null, told: null };
    const rows = [request, anybodys, { ...anybodys, rule: null, decision: null }];
    for (const [level, row] of rows.entries()) {
      const key = JSON.stringify([row.agentId, row.reason, row.provider, row.decision]);
      const known = this.#sums.get(key);
      const isFull =
        this.#sums.size >= (level + 1) * summedRefusals || this.#waiting >= waitingRefusals + summedRefusals;
      if (known === undefined && isFull) continue;
      if (known !== undefined && !this.#taken.has(known)) {
        known.count += 1;
        known.added += 1;
        return [];
      }
      const next = { ...(known ?? row), count: (known?.count ?? 0) + 1, added: 1 };
      this.#sums.set(key, next);
      return [next];
    }
    return [];
  }

  /** No network and no agent can keep those of others from being listed. */
  #mayList(minute: number, alike: string, sourceIp: string): boolean {
    if (minute !== this.#listedMinute) for (const each of [this.#listed, this.#sums]) each.clear();
    this.#listedMinute = minute;
    const bounds = [
      ['all', listedRefusals.all],
      [`alike ${alike}`, listedRefusals.alike],
      [`network ${toNetwork(sourceIp)}`, listedRefusals.network],
    ] as const;
    if (this.#waiting >= waitingRefusals || bounds.some(([key, max]) => (this.#listed.get(key) ?? 0) >= max))
      return false;
    for (const [key] of bounds) this.#listed.set(key, (this.#listed.get(key) ?? 0) + 1);
    return true;
  }

  protected take(): RefusalCount[] {
    const taken = [...this.#counts.values()].slice(0, rowsAtOnce);
    for (const counted of taken) {
      this.#counts.delete(toKey(counted));
      for (const row of counted.requests) this.#taken.add(row);
    }
    this.#waiting -= countRequests(taken);
    return taken;
  }

  protected putBack(counts: RefusalCount[]): void {
    for (const counted of counts) {
      for (const row of counted.requests) this.#taken.delete(row);
      this.#add(counted);
    }
  }

  #add(counted: RefusalCount): void {
    this.#waiting += counted.requests.length;
    const known = this.#counts.get(toKey(counted));
    if (known !== undefined) {
      known.count += counted.count;
      known.requests.push(...counted.requests);
      if (counted.refusedAt >= known.refusedAt) {
        known.sourceIp = counted.sourceIp;
        known.refusedAt = counted.refusedAt;
      }
      return;
    }
    const room = counted.agentId === null ? 2 * this.#maxKeys : this.#maxKeys;
    if (this.#counts.size < room) this.#counts.set(toKey(counted), { ...counted, requests: [...counted.requests] });
    else {
      this.#waiting -= counted.requests.length;
      // The reason and the number are kept, but not the agent.
      if (counted.agentId !== null) this.#add({ ...counted, agentId: null });
      else this.#onDrop(counted.count);
    }
  }
}

const toKey = ({ minute, agentId, reason }: RefusalCount): string => `${minute} ${agentId ?? ''} ${reason}`;

const countRequests = (counts: readonly RefusalCount[]) =>
  counts.reduce((sum, { requests }) => sum + requests.length, 0);
