import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './styles/index.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/api.ts';
import { createConsoleRouter } from './app/create-router.tsx';
import { mendLanguage, reloadWhenUpdated, watchIdle } from './app/page-life.ts';
import { readStyleNonce, resolveVariables, theme } from './app/theme.ts';
import { SignInGate } from './session/sign-in.tsx';
import { takeSignInProof } from './session/sign-in-proof.ts';

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
