import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../start-system.ts';

/** The clock of some services that run as processes. */
export interface Clock extends Disposable {
  /** Variables for those services. */
  environment: Record<string, string>;
  /** From now on it is so many milliseconds fast, or slow below 0. Resolves when all that run have it. */
  set(shiftMs: number): Promise<void>;
  /** Milliseconds since 1970, as those services see it. */
  now(): number;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Makes a clock that is right until it is set. */
export function startClock(): Clock {
  const folder = mkdtempSync(join(tmpdir(), 'agp-clock-'));
  const file = join(folder, 'shift');
  let shift = 0;
  const write = () => {
    // Never half of it.
    writeFileSync(`${file}.new`, String(shift));
    renameSync(`${file}.new`, file);
  };
  write();
  const isSeen = (name: string) => {
    const [, pid] = /seen-by-(\d+)$/.exec(name) ?? [];
    return pid === undefined || !isRunning(Number(pid)) || readFileSync(join(folder, name), 'utf8') === String(shift);
  };
  return {
    environment: {
      NODE_OPTIONS: `--import ${new URL('shift-clock.ts', import.meta.url).href}`,
      TEST_CLOCK_FILE: file,
    },
    async set(next) {
      shift = next;
      write();
      await waitFor('the clock to be set', () => readdirSync(folder).every(isSeen));
    },
    now: () => Date.now() + shift,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
