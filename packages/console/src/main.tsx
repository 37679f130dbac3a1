import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './styles/index.css';
import { type CSSVariablesResolver, createTheme, MantineProvider, Modal } from '@mantine/core';
import { focusManager, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/api.ts';
import { createConsoleRouter } from './app/create-router.tsx';
import { SignInGate, takeSignInProof } from './session/sign-in.tsx';

const systemFonts =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';

/** Colours, sizes and fonts of every screen. Fonts are those of the viewer's system: nothing is loaded for them. */
const theme = createTheme({
  primaryColor: 'indigo',
  // Bright enough to be seen, dark enough that white text on them can be read.
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  fontFamily: systemFonts,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontFamily: systemFonts,
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({
      defaultProps: {
        // In the dark, a shade would leave nothing of the page.
        overlayProps: { color: 'var(--veil)', backgroundOpacity: 0.35 },
        // The page has one banner, which its header is.
        attributes: { header: { role: 'presentation' } },
        ...{ centered: true, closeButtonProps: { 'aria-label': 'Close' } },
      },
    }),
  },
});

/** Mantine's own dimmed and placeholder texts are too pale to be read by everybody. */
const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55606e',
    '--mantine-color-placeholder': '#667080',
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#8f98a6',
    '--mantine-color-body': '#14171c',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-anchor': colors.indigo?.[3] ?? '#91a7ff',
  },
});

/** The nonce that this answer's policy lets style tags have; empty if the page was served without one. */
function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

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
