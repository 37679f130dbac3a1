import type { IncomingMessage } from 'node:http';

export interface PaceBounds {
  /** The whole body takes no longer, in seconds. */
  maxBodySeconds: number;
  minBodyBytesPerSecond: number;
}

export interface Pace {
  /** So much of the body has come. */
  count(bytes: number): void;
  stop(): void;
}

const tickMs = 1_000;
/** The rate is measured over this many seconds, so that a short silence is allowed. */
const windowTicks = 30;

/**
 * Watches how fast an agent sends its body, second by second. Seconds in which we do not read, because the provider is slow, do
 * not count.
 *
 * @param onSlow called once
 */
export function watchPace(request: IncomingMessage, bounds: PaceBounds, onSlow: () => void): Pace {
  let ticks = 0;
  let bytes = 0;
  const look = () => {
    if (request.isPaused()) return;
    ticks += 1;
    const isWindow = ticks % windowTicks === 0;
    const isSlow = isWindow && bytes < windowTicks * bounds.minBodyBytesPerSecond;
    if (isWindow) bytes = 0;
    if (!isSlow && ticks < bounds.maxBodySeconds) return;
    clearInterval(timer);
    onSlow();
  };
  const timer = setInterval(look, tickMs);
  return {
    count(more) {
      bytes += more;
    },
    stop: () => clearInterval(timer),
  };
}
