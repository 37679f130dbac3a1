import type { Page } from 'playwright-core';
import { median } from '../median.ts';
import type { View } from './list-views.ts';

/** Medians in milliseconds. */
export interface ViewTimes {
  /** From the change of the address within the page until the data are shown. */
  pageMs: number;
  /** All reads that the screen made until then, made at once without a browser. */
  apiMs: number;
  /** The slowest of them alone. */
  slowestMs: number;
  /** Their paths. */
  reads: string[];
}

const rounds = 3;
/** Reads nothing. */
const neutral = '/find';
const longestMs = 60_000;

/** The page's own code, as text: it goes to an address as a link does, and looks at each frame if the data are there. */
const openView = ({ path, title, shown }: View) => `new Promise((resolve, reject) => {
  const began = performance.now();
  history.pushState({}, '', ${JSON.stringify(path)});
  const main = document.querySelector('main');
  const look = () => {
    const isThere = main.querySelector('h1')?.textContent.startsWith(${JSON.stringify(title)}) &&
      main.querySelector(${JSON.stringify(shown)}) && !main.querySelector('[aria-label=Loading]');
    const ms = performance.now() - began;
    if (isThere) resolve(ms);
    else if (ms > ${longestMs}) reject(new Error('nothing is shown'));
    else requestAnimationFrame(look);
  };
  look();
})`;

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Opens a screen again and again in a page that has read nothing yet, and makes the same reads without it. */
export async function measureView(page: Page, url: string, key: string, view: View): Promise<ViewTimes> {
  const pageTimes: number[] = [];
  let reads: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(url + neutral);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const seen: string[] = [];
    const note = (request: { url(): string }) => {
      const { pathname, search } = new URL(request.url());
      // The stream has no end, and the header reads the status on every screen.
      const isOwn = pathname.startsWith('/api/') && pathname !== '/api/v1/events/stream';
      if (isOwn && (view.path === '/' || pathname !== '/api/v1/status')) seen.push(pathname + search);
    };
    page.on('request', note);
    pageTimes.push(await page.evaluate<number>(openView(view)));
    page.off('request', note);
    reads = [...new Set(seen)];
  }
  const headers = { authorization: `Bearer ${key}` };
  const read = async (path: string) => {
    const answer = await fetch(url + path, { headers });
    await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  };
  const repeat = async (work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timeOf(work));
    return median(times);
  };
  const alone: number[] = [];
  for (const path of reads) alone.push(await repeat(() => read(path)));
  const apiMs = await repeat(() => Promise.all(reads.map(read)));
  return { pageMs: median(pageTimes), apiMs, slowestMs: Math.max(0, ...alone), reads };
}
