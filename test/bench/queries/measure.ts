import type { Pool } from '@agp/db';
import { expandSql } from '../../telemetry/monitoring/expand-macros.ts';
import { sqlQueries, variables } from '../../telemetry/monitoring/list-queries.ts';
import { median } from '../statistics.ts';
import type { Call } from './list-calls.ts';

/** Medians in milliseconds, by what was measured; null where it failed, with the answer's status or message. */
export type Measured = Map<string, { ms: number; fault?: string }>;

const rounds = 9;
/** What takes longer in all is not repeated further. */
const longestMs = 5_000;
const dayMs = 86_400_000;

async function timeOf(run: () => Promise<string | undefined>): Promise<{ ms: number; fault?: string }> {
  const times: number[] = [];
  // The first is for the caches.
  for (let round = 0; round <= rounds && times.reduce((sum, ms) => sum + ms, 0) < longestMs; round += 1) {
    const began = performance.now();
    const fault = await run();
    const ms = performance.now() - began;
    if (fault !== undefined) return { ms, fault };
    if (round > 0) times.push(ms);
  }
  return { ms: median(times) };
}

/** Makes each call again and again, one after the other. */
export async function measureCalls(url: string, key: string, calls: readonly Call[]): Promise<Measured> {
  const found: Measured = new Map();
  for (const { name, path } of calls) {
    const headers = { authorization: `Bearer ${key}` };
    found.set(
      name,
      await timeOf(async () => {
        const answer = await fetch(url + path, { headers });
        const text = await answer.text();
        return answer.ok ? undefined : `${answer.status} ${text.slice(0, 60)}`;
      }),
    );
  }
  return found;
}

/** The panels with their SQL as Grafana would send it, over 24 hours and 30 days. */
export async function measurePanels(pool: Pool, now: number): Promise<Measured> {
  const found: Measured = new Map();
  const chosen = Object.fromEntries(variables.map(({ name, allValue }) => [name, allValue]));
  for (const { where, text } of sqlQueries)
    for (const days of text.includes('$__time') ? [1, 30] : [0]) {
      const sql = expandSql(text, { from: new Date(now - days * dayMs), to: new Date(now) }, chosen);
      const ask = () =>
        pool.query(sql).then(
          () => undefined,
          (error: Error) => error.message,
        );
      found.set(days === 0 ? where : `${where}, ${days} d`, await timeOf(ask));
    }
  return found;
}

/** Medians of a PUT, in milliseconds: alone, and while 100 readers ask for the slowest list again and again. */
export async function measurePut(url: string, agentId: string, readers: { key: string; path: string }[], key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let status = 'blocked';
  const put = () =>
    timeOf(async () => {
      status = status === 'blocked' ? 'active' : 'blocked';
      const answer = await fetch(`${url}/api/v1/agents/${agentId}`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ status }),
      });
      await answer.text();
      return answer.ok ? undefined : `PUT answers ${answer.status}`;
    });
  const quiet = await put();
  let isDone = false;
  const answers = new Map<number, number>();
  const reading = readers.map(async (reader) => {
    while (!isDone) {
      const answer = await fetch(url + reader.path, { headers: { authorization: `Bearer ${reader.key}` } });
      await answer.arrayBuffer();
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const busy = await put();
  isDone = true;
  await Promise.all(reading);
  return { quiet, busy, answers };
}
