import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { ConsoleSystem } from '../support/open-console.ts';

/** An address of the console, and when it is complete. */
export interface Screen {
  /** The beginning of the pictures' names. */
  name: string;
  path: string;
  /** Null shows it signed out. */
  key?: null;
  /** Resolves once what the picture is about is there. */
  ready?(page: Page): Promise<unknown>;
}

const schemes = ['light', 'dark'] as const;
/** In CSS pixels: a telephone, a laptop, a large screen. */
const viewports = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
  { width: 1920, height: 1080 },
];

/** Only what never comes runs into it: it is reported, and the rest goes on. */
const timeoutMs = 20_000;

/** Texts that no screen shows on purpose. */
const nonsense = /\bNaN\b|\bundefined\b|\[object Object\]|Invalid Date/;

async function findFaults(page: Page): Promise<string[]> {
  const wider = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
  const words = (await page.locator('body').textContent()) ?? '';
  const found = nonsense.exec(words)?.[0];
  return [...(wider > 0 ? [`is ${wider} pixels too wide`] : []), ...(found === undefined ? [] : [`shows ${found}`])];
}

/** Waits until nothing on the page is still to come. */
async function settle(page: Page): Promise<void> {
  await page.locator('h1, h2').first().waitFor();
  const pending = '.mantine-Skeleton-root, [aria-label="Loading"], [data-loading="true"]';
  await page.locator(pending).first().waitFor({ state: 'detached' });
}

/** A picture of all of a page, in a window that is as high as the page: what fills the window's height then does so in the picture. */
async function takeWhole(page: Page, viewport: { width: number; height: number }, path: string): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width: viewport.width, height: Math.max(height, viewport.height) });
  // Charts draw themselves anew if the width has changed with a scroll bar.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
  );
  await page.screenshot({ path, animations: 'disabled' });
  await page.setViewportSize(viewport);
}

/**
 * Takes a picture of the whole of every screen, light and dark, in each width: `<name>-<width>-<scheme>.png`.
 *
 * @returns what is wrong, a line each: pages that are too wide, errors of scripts, texts that make no sense
 */
export async function takeScreenshots(
  { open, url }: ConsoleSystem,
  screens: readonly Screen[],
  folder: string,
): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of schemes) {
    for (const viewport of viewports) {
      const options = { viewport, colorScheme, reducedMotion: 'reduce' as const };
      const signedIn = await open('/', options);
      for (const { name, path, key, ready } of screens) {
        const opened = key === null ? await open(path, { ...options, key }) : signedIn;
        const file = `${name}-${viewport.width}-${colorScheme}.png`;
        opened.page.setDefaultTimeout(timeoutMs);
        if (key !== null) await opened.page.goto(url + path);
        try {
          await settle(opened.page);
          await ready?.(opened.page);
          await settle(opened.page);
        } catch (error) {
          faults.push(`${file}: ${(error as Error).message}`);
        }
        await takeWhole(opened.page, viewport, join(folder, file));
        const found = [...(await findFaults(opened.page)), ...opened.faults.splice(0)];
        faults.push(...found.map((fault) => `${file}: ${fault}`));
        if (key === null) await opened.context.close();
      }
      await signedIn.context.close();
      console.log(`${viewport.width} pixels, ${colorScheme}: ${screens.length} screens`);
    }
  }
  return faults;
}
