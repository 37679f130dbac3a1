import type { Redis } from 'ioredis';

/** The session of an agent that names none: the same on every replica, until the agent has been idle for a while. */
export interface IdleSessions {
  /** @param newSessionId used if the agent has been idle, or was never seen */
  resolve(agentId: string, newSessionId: () => string): Promise<string>;
}

interface Window {
  sessionId: string;
  refreshedAt: number;
}

/** Extends the running window or opens one, atomically, so that replicas cannot open two. What is no session's id is replaced. */
const touchWindow = `
local running = redis.call('GET', KEYS[1])
if running and #running <= 68 and string.match(running, '^ses_[%w_-]+$') then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return running
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;

/** In milliseconds, for each agent. */
const refreshEveryMs = 1_000;
const rememberedAgents = 10_000;

interface IdleSessionOptions {
  idleSeconds: number;
  /** Called when Redis fails and this process uses its own memory. */
  onFailure?: (error: Error) => void;
  /** A clock that is never set, in milliseconds. */
  now?: () => number;
}

export function createIdleSessions(redis: Redis, options: IdleSessionOptions): IdleSessions {
  const { idleSeconds, onFailure, now = () => performance.now() } = options;
  const idleMs = idleSeconds * 1_000;
  const refreshMs = Math.min(refreshEveryMs, idleMs / 10);
  const windows = new Map<string, Window>();

  const remember = (agentId: string, sessionId: string) => {
    windows.delete(agentId);
    windows.set(agentId, { sessionId, refreshedAt: now() });
    const oldest = windows.size > rememberedAgents ? windows.keys().next().value : undefined;
    if (oldest !== undefined) windows.delete(oldest);
    return sessionId;
  };

  return {
    async resolve(agentId, newSessionId) {
      const known = windows.get(agentId);
      if (known && now() - known.refreshedAt < refreshMs) return known.sessionId;
      const candidate = newSessionId();
      try {
        const key = `agp:idle-session:${agentId}`;
        return remember(agentId, String(await redis.eval(touchWindow, 1, key, candidate, idleMs)));
      } catch (error) {
        onFailure?.(error as Error);
        // Without Redis each replica keeps its own windows: sessions may split, but requests continue.
        const latest = windows.get(agentId);
        const running = latest && now() - latest.refreshedAt < idleMs;
        return remember(agentId, running ? latest.sessionId : candidate);
      }
    },
  };
}
