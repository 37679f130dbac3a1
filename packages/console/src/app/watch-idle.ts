import { focusManager } from '@tanstack/react-query';

/** Nobody has touched the page for so long, in milliseconds: less than a session lasts without use. */
const idleMs = 20 * 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * Stops reading again by itself once nobody touches the page any more: else an open page would keep its session alive, and whoever
 * finds it would be signed in.
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
