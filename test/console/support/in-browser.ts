import { describe } from 'vitest';
import { hasBrowser } from '../../wire/browsers/start-browser.ts';

/** Groups tests that need a Chromium: they are skipped if this machine has none, and fail there in CI. */
export function inBrowser(name: string, tests: () => void): void {
  const isMissing = !hasBrowser() && process.env.CI === undefined;
  describe.skipIf(isMissing)(isMissing ? `${name} (skipped: there is no Chromium)` : name, tests);
}
