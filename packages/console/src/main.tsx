import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './styles/index.css';
import { MantineProvider } from '@mantine/core';
import { focusManager, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/api.ts';
import { createConsoleRouter } from './app/create-router.tsx';
import { readStyleNonce, resolveVariables, theme } from './app/theme.ts';
import { SignInGate } from './session/sign-in.tsx';
import { takeSignInProof } from './session/sign-in-proof.ts';

/** What the console is written in. */
const fallback = 'en';

/**
 * Under some locales of the system (POSIX) Chromium names a language that `Intl` refuses, and uPlot gives it to `Intl` as it is: then the
 * page is said to be in English.
 */
function mendLanguage(): void {
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
function reloadWhenUpdated(): void {
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
function watchIdle(): void {
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

reloadWhenUpdated();
mendLanguage();
watchIdle();
// Mantine's style tags, and those of the library that keeps the page from scrolling behind a dialog.
const nonce = readStyleNonce();
setNonce(nonce);
// Before anything is drawn, so that the code stands in no history and on no screenshot.
const proof = takeSignInProof();
const queryClient = createQueryClient();
const router = createConsoleRouter();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <SignInGate proof={proof}>
          <RouterProvider router={router} />
        </SignInGate>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
