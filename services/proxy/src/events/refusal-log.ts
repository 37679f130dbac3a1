import { randomUUIDv7 } from 'node:crypto';
import type { ErrorCode } from '@agp/core/errors';
import type { RefusalCount, RefusedRequest } from '@agp/db';
import { toNetwork } from '@agp/runtime';
import { listedRefusals, refusalKeys, waitingRefusals } from '../limits.ts';
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

export interface CountedRefusal extends Omit<RefusedRequest, 'id' | 'provider' | 'path'> {
  reason: ErrorCode;
}

/**
 * Counts refused requests by minute, agent and reason, and lists the first of each: a flood costs storage no more than a trickle.
 */
export class RefusalLog extends BatchLog<RefusalCount> {
  readonly #counts = new Map<string, RefusalCount>();
  readonly #listed = new Map<string, number>();
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

  count(refusal: CountedRefusal, describe: () => Pick<RefusedRequest, 'provider' | 'path'>): void {
    const { agentId, reason, rule, sourceIp } = refusal;
    const refusedAt = this.#now();
    const minute = refusedAt - (refusedAt % minuteMs);
    const isListed = this.#mayList(minute, `${agentId ?? ''} ${reason} ${rule?.split(':', 1)[0] ?? ''}`, sourceIp);
    const requests = isListed ? [{ id: randomUUIDv7(), ...refusal, ...describe() }] : [];
    this.#add({ minute, agentId, reason, count: 1, sourceIp, refusedAt, requests });
  }

  /** No network and no agent can keep those of others from being listed. */
  #mayList(minute: number, alike: string, sourceIp: string): boolean {
    if (minute !== this.#listedMinute) this.#listed.clear();
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
    for (const counted of taken) this.#counts.delete(toKey(counted));
    this.#waiting -= countRequests(taken);
    return taken;
  }

  protected putBack(counts: RefusalCount[]): void {
    for (const counted of counts) this.#add(counted);
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
