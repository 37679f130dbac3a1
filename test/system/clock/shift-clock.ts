/*
 * Loaded into a service's process before it starts (`node --import`): its clock is as wrong as a file says, from one moment to the next.
 * Timers and `performance.now` go on as before, as they do where a machine's clock is set.
 */
import crypto from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const file = process.env.TEST_CLOCK_FILE ?? '';
const RealDate = Date;
const realNow = Date.now;
let shiftMs = 0;
let seen = '';

const look = () => {
  try {
    const text = readFileSync(file, 'utf8');
    if (text === seen) return;
    seen = text;
    shiftMs = Number(text);
    if (isMainThread) writeFileSync(`${file}.seen-by-${process.pid}`, text);
  } catch {
    // The test is over, and this process will be soon.
  }
};
look();
setInterval(look, 20).unref();

RealDate.now = () => realNow() + shiftMs;
// It has the real clock in its own hands.
const { randomUUIDv7 } = crypto;
crypto.randomUUIDv7 = (options) => {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7(options).slice(13)}` as ReturnType<typeof randomUUIDv7>;
};
syncBuiltinESMExports();
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [target.now()] : given, as),
});
