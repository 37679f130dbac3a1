// Checks a session's chain without trusting the system that made it; reads the chain, and then what was removed of it.
// It ends with 0: as it was written; 1: it diverges; 3: only the last hash is left of it; 5: what is said to be removed for its age
// stands behind what is kept, though the oldest goes first.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const hour = 3_600_000;
/** Retention takes whole weeks, from Monday on, and the chain has the order in which requests ended: one of before may end this late. */
const mostLate = hour;
const mondayOf = (ms) => ms - ((ms - 96 * hour) % (168 * hour));

/** What is found, in words, with the code to end with, and the hashes of its chain. */
export function verifyLineage(input) {
  const [{ session_id, entries }, { removed } = {}] = JSON.parse(`[${input.split('\n')}]`);
  if (!entries || !removed) return { code: 1, text: `not a chain and what was removed of it: ${input.slice(0, 200)}` };
  let previous = 'genesis';
  let seq = 0;
  const hashes = [];
  let [oldest, newest] = [Infinity, 0];
  let younger = null;
  function passRemoved(next) {
    for (const gone of removed) {
      if (gone.first_seq > seq || gone.last_seq < seq || gone.last_seq >= next) continue;
      if (newest - mondayOf(oldest) > mostLate) younger ??= seq;
      seq = gone.last_seq + 1;
      previous = gone.lineage_hash;
      hashes.push(previous);
    }
  }
  for (const { seq: shown, event_id, lineage_hash, payload } of entries) {
    passRemoved(shown);
    const hash = `sha256:${createHash('sha256')
      .update(previous + payload, 'utf8')
      .digest('hex')}`;
    const event = JSON.parse(payload);
    if (hash !== lineage_hash || event.seq !== seq || event.id !== event_id || event.session_id !== session_id)
      return { code: 1, text: `${session_id}: diverges at seq ${seq}` };
    previous = hash;
    hashes.push(previous);
    seq += 1;
    const at = Date.parse(event.timestamp);
    [oldest, newest] = [Math.min(oldest, at), Math.max(newest, at)];
  }
  passRemoved(Infinity);
  if (younger !== null)
    return {
      code: 5,
      text: `${session_id}: events from seq ${younger} on are said to be removed for their age, older ones are kept`,
      hashes,
    };
  const gone = seq - entries.length;
  const of = gone > 0 ? `, and ${gone} removed for their age` : '';
  const text = `${session_id}: ${entries.length} event${entries.length === 1 ? '' : 's'}${of}, head ${previous}`;
  return { code: entries.length === 0 && gone > 0 ? 3 : 0, text, hashes };
}

// Beside `verify-evidence.mjs`, which imports it, it reads nothing of its own.
const started = process.argv[1];
if (!started || realpathSync(started) === fileURLToPath(import.meta.url)) {
  const { code, text } = verifyLineage(readFileSync(0, 'utf8').trim());
  console.log(text);
  process.exitCode = code;
}
