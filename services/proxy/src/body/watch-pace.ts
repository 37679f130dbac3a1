import type { IncomingMessage } from 'node:http';

interface PaceBounds {
  maxBodySeconds: number;
  minBodyBytesPerSecond: number;
}

interface Pace {
  count(bytes: number): void;
  stop(): void;
}

const tickMs = 1_000;
/** A short silence is allowed within these. */
const windowTicks = 30;

/**
 * Calls `onSlow` once if an agent sends its body too slowly; seconds in which a slow provider keeps us from reading do not count.
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
