/** What the console is written in. */
const fallback = 'en';

/**
 * Under some locales of the system (POSIX) Chromium names a language that `Intl` refuses, and uPlot gives it to `Intl` as it is: then the
 * page is said to be in English.
 */
export function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: fallback, configurable: true });
  }
}
