import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { median } from '../../bench/statistics.ts';
import type { ConsoleSystem } from '../../console/support/open-console.ts';
import { waitFor } from '../../system/start-system.ts';
import { expectWithin, milliseconds, type Report, unreported } from '../story.ts';

export interface FollowSize {
  minutes: number;
  perMinute: number;
  /** Most requests that are under way. */
  atOnce: number;
  /** The events come at an even pace, and what the page promises of time and memory is held against it. */
  promised?: { lagMs: number };
}

/** Rows that the list keeps; of those only the ones in sight are in the document. */
const kept = 2_000;
const mostDrawn = 100;
/** Beyond what lists and buffers hold when they are full, a page may not grow, in bytes. */
const mostGrowth = 3_000_000;
const sampleMs = 1_000;

/** What the newest row says of itself: how old it is, and how many there are. */
const readNewest = (page: Page) =>
  page.evaluate<{ ageMs: number; rows: number; drawn: number; badge: string } | null>(`(() => {
    const rows = document.querySelectorAll('.live-row');
    const at = rows[0]?.querySelector('[title$=" UTC"]')?.title.replace(' UTC', 'Z').replace(' ', 'T');
    const badge = [...document.querySelectorAll('header .pill')].map((pill) => pill.textContent).join();
    return at ? { ageMs: Date.now() - Date.parse(at), rows: Number(rows[0].ariaSetSize), drawn: rows.length, badge } : null;
  })()`);

/** Bytes of the page's heap that are in use once all garbage is gone. */
async function measureHeap(devtools: CDPSession): Promise<number> {
  // What a first collection sets free may hold more.
  for (let round = 0; round < 2; round += 1) await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Sends requests while one tab shows events as they come, and another holds them back and counts: each is seen, the newest is shown, and
 * the page does not grow.
 */
export async function followLive(
  { open, send }: Pick<ConsoleSystem, 'open' | 'send'>,
  { minutes, perMinute, atOnce, promised }: FollowSize,
  report: Report = unreported,
): Promise<void> {
  const shown = await open('/live');
  const counter = await open('/live');
  for (const { page } of [shown, counter]) await page.getByText('connected', { exact: true }).waitFor();
  await counter.page.getByRole('button', { name: 'Hold' }).click();
  const devtools = await shown.context.newCDPSession(shown.page);
  const heaps: number[] = [];
  const lags: number[] = [];
  let slowestBadge = '';
  let drawn = 0;
  let sent = 0;
  let failed = 0;
  const began = performance.now();
  const pace = promised === undefined ? Number.POSITIVE_INFINITY : perMinute / 60_000;

  async function sendMany(until: number): Promise<void> {
    while (sent < until) {
      const due = began + sent / pace - performance.now();
      sent += 1;
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
      const { status } = await send('busy');
      if (status !== 200) failed += 1;
    }
  }
  let isDone = false;
  const watching = (async () => {
    while (!isDone && promised !== undefined) {
      const newest = await readNewest(shown.page);
      if (newest !== null) {
        drawn = Math.max(drawn, newest.drawn);
        lags.push(newest.ageMs);
        if (newest.ageMs >= Math.max(...lags)) slowestBadge = newest.badge;
      }
      await new Promise((resolve) => setTimeout(resolve, sampleMs));
    }
  })();
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      await Promise.all(Array.from({ length: atOnce }, () => sendMany(minute * perMinute)));
      heaps.push(await measureHeap(devtools));
      report({ sent, [`heap after minute ${minute}`]: megabytes(heaps.at(-1) ?? 0) });
    }
  } finally {
    isDone = true;
    await watching;
  }
  const seconds = (performance.now() - began) / 1_000;
  const count = async () => {
    const [text] = await counter.page.getByRole('button', { name: /new events$/ }).allTextContents();
    return Number(text?.replace(/\D/g, ''));
  };
  await waitFor('the page that counts', async () => (await count()) >= sent - failed);
  const seen = await count();
  report({ 'a minute': Math.round((60 * sent) / seconds), seen, failed });
  expect([seen, failed]).toEqual([sent, 0]);
  await send('last of all');
  await shown.page.getByRole('link', { name: 'last of all' }).waitFor();
  const newest = await readNewest(shown.page);
  drawn = Math.max(drawn, newest?.drawn ?? mostDrawn);
  report({ 'rows kept': newest?.rows ?? 0, 'rows in the document': drawn });
  expect(newest?.rows).toBe(Math.min(sent + 1, kept));
  expect(drawn).toBeLessThan(mostDrawn);
  expect([...shown.faults, ...counter.faults]).toEqual([]);
  if (promised !== undefined) {
    const slowest = Math.max(...lags);
    report({
      'age of the newest row': milliseconds(median(lags)),
      'at most': `${milliseconds(slowest)} (${slowestBadge})`,
    });
    expectWithin('the newest row was older', slowest, promised.lagMs);
    expect((heaps.at(-1) ?? 0) - (heaps.at(-2) ?? 0)).toBeLessThan(mostGrowth);
  }
  for (const { context } of [shown, counter]) await context.close();
}
