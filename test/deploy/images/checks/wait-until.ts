import { setTimeout as sleep } from 'node:timers/promises';

const waitMs = 300_000;

/** @throws naming `what` if it is not so within five minutes */
export async function waitUntil(what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + waitMs;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`waited ${waitMs / 1_000} s for ${what}`);
    await sleep(200);
  }
}
