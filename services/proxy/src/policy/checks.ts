import type { lookup } from 'node:dns';
import type { CheckedText, Replacement } from '@agp/metering';
import type { CheckVerdict, Policy } from '@agp/policy';
import { signWebhook } from '@agp/runtime';
import type { Egress } from '@agp/runtime/egress';
import { guardConnections } from '@agp/runtime/guard';
import { describeError, readAnswer } from '@agp/runtime/guarded-reader';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { checks as bounds } from '../limits.ts';
import { parseAnswer } from './check-answer.ts';

/** The call that a check is told of. */
export interface CheckedCall {
  direction: 'request' | 'response';
  eventId: string;
  agent: string;
  agentId: string;
  sessionId: string;
  provider: string;
  model: string | null;
  tag: string;
}

export interface CheckReply {
  verdict: CheckVerdict;
  /** What `redact` puts in, in the order of texts and places; of other actions none. */
  replacements: readonly Replacement[];
}

/** The services outside that policies ask about texts. */
export interface Checks {
  /**
   * Asks a policy's check. Never rejects: a failure is a verdict, as the policy's `on_failure` says, in which `not_checked` is found.
   * @param texts null for more than a check takes
   */
  ask(policy: Policy, call: CheckedCall, texts: readonly CheckedText[] | null): Promise<CheckReply>;
  /** Ends what runs. */
  stop(): Promise<void>;
}

export const checkFailures = ['late', 'failed', 'too_large', 'overloaded', 'no_secret'] as const;
export const checkResults = ['allow', 'flag', 'redact', 'block', ...checkFailures] as const;
export type CheckResult = (typeof checkResults)[number];

class CheckFailed extends Error {
  readonly result: (typeof checkFailures)[number];

  /** @param told to agents, after the name of the check */
  constructor(result: (typeof checkFailures)[number], told: string, cause?: unknown) {
    super(told, { cause });
    this.result = result;
  }
}

type Check = NonNullable<Policy['check']>;

/** The connections of one policy's check: no other waits for them. */
interface Line {
  pool: Pool;
  running: number;
}

/** What a policy says of a call that its check does not answer for. @param why for its agent */
export function failCheck({ url, on_failure: then }: Check, why: string): CheckVerdict {
  const failed = { reason: `its check (${new URL(url).host}) ${why}`, found: { not_checked: 1 } };
  return then === 'allow' ? { ...failed, action: 'flag' } : { ...failed, action: 'block', hasFailed: true };
}

export const tooLarge = 'cannot be asked: what is to be checked is over the limit of a check';

export interface CheckFailure {
  policy: string;
  host: string;
  /** For operators; it holds no text of a call. */
  error: string;
}

interface ChecksOptions {
  /** Sign what is asked, as they are at this moment; without one every check fails. */
  readSecrets(): readonly string[];
  /** Hosts that may be private, or have no TLS. */
  allowedHosts: readonly string[];
  egress: Egress;
  onResult(result: CheckResult): void;
  onFailure(failure: CheckFailure): void;
  look?: typeof lookup;
}

export function createChecks({ readSecrets, allowedHosts, egress, onResult, onFailure, look }: ChecksOptions): Checks {
  const lines = new LRUCache<string, Line>({
    max: bounds.policies,
    dispose: ({ pool }) => void pool.close(),
  });

  function findLine(policy: string, { url, timeout_ms: timeoutMs }: Check): Line {
    const key = `${policy} ${timeoutMs} ${url}`;
    const known = lines.get(key);
    if (known !== undefined) return known;
    const connect = guardConnections({ allowedHosts, setting: 'CHECK_ALLOWED_HOSTS', timeoutMs, egress }, look);
    const line = { pool: new Pool(new URL(url).origin, { connect, connections: bounds.atOnce }), running: 0 };
    lines.set(key, line);
    return line;
  }

  async function exchange(name: string, check: Check, call: CheckedCall, texts: readonly CheckedText[] | null) {
    if (readSecrets().length === 0)
      throw new CheckFailed('no_secret', 'cannot be asked: the proxy has no CHECK_SECRET');
    let size = 0;
    for (const { text } of texts ?? []) size += Buffer.byteLength(text);
    if (texts === null || texts.length > bounds.texts || size > bounds.textBytes)
      throw new CheckFailed('too_large', tooLarge);
    const line = findLine(name, check);
    if (line.running >= bounds.atOnce) throw new CheckFailed('overloaded', `has ${bounds.atOnce} others to answer`);
    const signal = AbortSignal.timeout(check.timeout_ms);
    line.running += 1;
    try {
      const answer = await post(line.pool, check.url, writeCall(name, call, texts), signal);
      return parseAnswer(await readAnswer(answer, bounds.answerBytes), texts);
    } catch (error) {
      if (signal.aborted) throw new CheckFailed('late', `did not answer within ${check.timeout_ms} ms`);
      throw new CheckFailed('failed', 'failed', error);
    } finally {
      line.running -= 1;
    }
  }

  function post(pool: Pool, url: string, { id, body }: { id: string; body: string }, signal: AbortSignal) {
    const { pathname, search } = new URL(url);
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'agent-governance-proxy' },
      ...signWebhook(id, body, readSecrets()),
    };
    const ask = () => pool.request({ path: `${pathname}${search}`, method: 'POST', headers, body, signal });
    // Its server may have closed an idle connection as we wrote to it.
    return ask().catch((error) => {
      if (['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(error.code)) return ask();
      throw error;
    });
  }

  return {
    async ask({ name, check }, call, texts) {
      if (check === undefined || texts?.length === 0)
        return { verdict: { action: 'allow', reason: '', found: {} }, replacements: [] };
      const { host } = new URL(check.url);
      try {
        const { action, reason, findings } = await exchange(name, check, call, texts);
        onResult(action);
        const counts = [...Map.groupBy(findings, ({ kind }) => kind)].map(
          ([kind, { length }]) => [kind, length] as const,
        );
        const named = counts.slice(0, bounds.toldKinds).map(([kind]) => kind);
        const verdict = {
          action,
          reason: reason ?? `its check (${host}) finds ${named.join(', ') || 'what it looks for'}`,
          found: Object.fromEntries(counts),
        };
        return { verdict, replacements: action === 'redact' ? findings : [] };
      } catch (error) {
        const { result, message, cause } = error as CheckFailed;
        onResult(result);
        onFailure({ policy: name, host, error: cause === undefined ? message : describeError(cause as Error) });
        return { verdict: failCheck(check, message), replacements: [] };
      }
    },
    async stop() {
      await Promise.all([...lines.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

function writeCall(policy: string, call: CheckedCall, texts: readonly CheckedText[]): { id: string; body: string } {
  const { direction, eventId, agentId, sessionId, ...named } = call;
  const ids = { event_id: eventId, policy, agent_id: agentId, session_id: sessionId };
  return {
    // A name of a policy may hold full stops.
    id: `${eventId}:${direction}:${policy.replaceAll('.', '~')}`,
    body: JSON.stringify({ type: 'agp.check', version: 1, direction, ...ids, ...named, texts }),
  };
}
