// Checks a session's chain without trusting the system that made it; reads the chain, and then what was removed of it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const input = readFileSync(0, 'utf8').trim();
const [{ session_id, entries }, { removed } = {}] = JSON.parse(`[${input.split('\n')}]`);
if (!entries || !removed) {
  console.log(`not a chain and what was removed of it: ${input.slice(0, 200)}`);
  process.exit(1);
}
let previous = 'genesis';
let seq = 0;
for (const { seq: shown, event_id, lineage_hash, payload } of entries) {
  for (const gone of removed) {
    if (gone.first_seq > seq || gone.last_seq < seq || gone.last_seq >= shown) continue;
    seq = gone.last_seq + 1;
    previous = gone.lineage_hash;
  }
  const hash = `sha256:${createHash('sha256')
    .update(previous + payload, 'utf8')
    .digest('hex')}`;
  const event = JSON.parse(payload);
  if (hash !== lineage_hash || event.seq !== seq || event.id !== event_id || event.session_id !== session_id) {
    console.log(`${session_id}: diverges at seq ${seq}`);
    process.exit(1);
  }
  previous = hash;
  seq += 1;
}
console.log(`${session_id}: ${entries.length} events, head ${previous}`);
