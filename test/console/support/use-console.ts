import type { FakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll } from 'vitest';
import type { System } from '../../system/start-system.ts';
import { type ConsoleSystem, openConsole } from './open-console.ts';

/** One system with a browser for all tests of a file. What it gives can be called inside of tests. */
export function useConsole(): Pick<ConsoleSystem, 'open' | 'show' | 'send' | 'makeKey'> & {
  system: () => System;
  provider: () => FakeProvider;
} {
  let running: ConsoleSystem;
  beforeAll(async () => {
    running = await openConsole();
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  return {
    open: (...given) => running.open(...given),
    show: (...given) => running.show(...given),
    send: (...given) => running.send(...given),
    makeKey: (...given) => running.makeKey(...given),
    system: () => running.system,
    provider: () => running.provider,
  };
}
