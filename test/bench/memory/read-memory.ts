import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { chatRequest, withNewTexts } from '../chat-call.ts';
import { fitLine } from '../statistics.ts';
import type { MemoryReport } from './report-memory.ts';

/** Node's flags for a service that {@link readMemory} may ask. */
export const memoryFlags: readonly string[] = ['--expose-gc', '--import', `${import.meta.dirname}/report-memory.ts`];

/** Writes all that a service holds to a file, which Chrome's developer tools open and compare with another. The service stands still meanwhile. */
export async function writeSnapshot(child: ChildProcess, file: string): Promise<void> {
  const answer = once(child, 'message');
  child.send({ snapshotTo: file });
  await answer;
}

/** What a service holds when all garbage is collected, in bytes. */
export async function readMemory(child: ChildProcess): Promise<MemoryReport> {
  const answer = once(child, 'message');
  child.send({ reportMemory: true });
  const [report] = (await answer) as [MemoryReport];
  return report;
}

const mib = 1024 ** 2;
/** What is not counted: the compilers are at work, and caches fill. */
const warmUp = 1 / 4;
/** Growth within an hour, as a share of what is held, that is called flat; a service that leaks a request's object grows by far more. */
const flatShare = 0.05;

/** Prints what a service held over an hour of traffic, and whether it grew. @param readings by the part of the hour that had passed */
export function printGrowth(service: string, readings: readonly [hours: number, MemoryReport][]): void {
  const counted = readings.filter(([hours]) => hours > warmUp);
  for (const part of ['heap', 'external', 'resident'] as const) {
    const points = counted.map(([hours, report]) => [hours, report[part] / mib] as const);
    const { slope, error, mean } = fitLine(points);
    const isFlat = slope - 2 * error <= 0 || slope < flatShare * mean;
    const eighths = [0, 1, 2, 3, 4, 5, 6, 7].map((eighth) => {
      const reading = readings[Math.floor(((eighth + 1) * readings.length) / 8) - 1];
      return ((reading?.[1][part] ?? Number.NaN) / mib).toFixed(1);
    });
    console.log(
      `${service.padEnd(10)} ${part.padEnd(8)} MiB after each eighth: ${eighths.join(' ')}   ` +
        `${slope >= 0 ? '+' : ''}${slope.toFixed(2)} ± ${(2 * error).toFixed(2)} an hour: ${isFlat ? 'flat' : 'GROWS'}`,
    );
  }
}

const atOnce = 32;

/**
 * Sends as many calls as services remember things of: management the ids of 100,000 events, a proxy the digests of 20,000 texts. What
 * grows afterwards has no bound.
 */
export async function fillMemories(url: string, agents: number, calls: number): Promise<void> {
  if (calls === 0) return;
  const headers = { 'content-type': 'application/json' };
  const requests = Array.from({ length: agents }, (_, agent) => ({
    method: 'POST' as const,
    headers: { ...headers, 'x-agent-name': `bench-${agent}` },
    setupRequest: (request: autocannon.Request) => ({ ...request, body: withNewTexts(chatRequest) }),
  }));
  await autocannon({ url: `${url}/openai/v1/chat/completions`, connections: atOnce, amount: calls, requests });
}
