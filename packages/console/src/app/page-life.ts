import { focusManager } from '@tanstack/react-query';

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

const place = 'agp-console-reloaded';
/** A second failure this soon after a reload is not an update, in milliseconds. */
const pauseMs = 30_000;

/** After an update the files that this page would still load are gone: it loads itself again, once. */
export function reloadWhenUpdated(): void {
  window.addEventListener('vite:preloadError', () => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(place)) < pauseMs) return;
      sessionStorage.setItem(place, String(Date.now()));
    } catch {
      // Without storage we could not tell a second time from the first.
      return;
    }
    window.location.reload();
  });
}

/** Nobody has touched the page for so long, in milliseconds: less than a session lasts without use. */
const idleMs = 20 * 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * Stops reading again by itself once nobody touches the page any more: else an open page would keep its session alive for the next person
 * who finds it.
 */
export function watchIdle(): void {
  let timer: ReturnType<typeof setTimeout>;
  let isIdle = false;
  const rest = () => {
    isIdle = true;
    focusManager.setFocused(false);
  };
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(rest, idleMs);
    if (!isIdle) return;
    isIdle = false;
    // As before: whether the page is seen decides.
    focusManager.setFocused(undefined);
    focusManager.onFocus();
  };
  for (const sign of signs) window.addEventListener(sign, wake, { passive: true, capture: true });
  wake();
}
