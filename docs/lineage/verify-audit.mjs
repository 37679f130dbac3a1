// Checks the audit log's chain, and with a second line that the anchors of removals are as they were made.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const input = readFileSync(0, 'utf8').trim();
const [{ entries }, anchors] = JSON.parse(`[${input.split('\n')}]`);
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const show = (digest) => `sha256:${digest.toString('hex')}`;
const fail = (text) => {
  console.log(text);
  process.exit(1);
};

if (!entries) fail(`not an audit log: ${input.slice(0, 200)}`);
let previous = 'genesis';
const removals = [];
for (const [seq, { id, lineage_hash, payload }] of entries.entries()) {
  const { seq: place, id: own, action, before } = JSON.parse(payload);
  if (show(sha256(previous, payload)) !== lineage_hash || place !== seq || own !== id)
    fail(`audit log: diverges at seq ${seq}`);
  previous = lineage_hash;
  if (action === 'events.retention' && before.removal) removals.push(before);
}
console.log(`audit log: ${entries.length} entries, head ${previous}`);
if (!anchors) process.exit();

/** The root of the leaves, by RFC 6962 section 2.1. */
function hashTree(leaves) {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0]);
  let left = 1;
  while (2 * left < leaves.length) left *= 2;
  return sha256(Buffer.of(1), hashTree(leaves.slice(0, left)), hashTree(leaves.slice(left)));
}

for (const { removal, events, anchors_root } of removals) {
  const own = anchors.filter((anchor) => anchor.removal === removal);
  const leaves = own.map(({ first_seq, last_seq, lineage_hash, session_id }) =>
    JSON.stringify({ first_seq, last_seq, lineage_hash, session_id }),
  );
  const gone = own.reduce((sum, { first_seq, last_seq }) => sum + last_seq - first_seq + 1, 0);
  if (show(hashTree(leaves)) !== anchors_root || gone !== events) fail(`not as it was made: ${removal}`);
}
const unknown = anchors.filter((anchor) => !removals.some(({ removal }) => removal === anchor.removal)).length;
if (unknown > 0) fail(`anchors of no removal: ${unknown}`);
console.log(`${removals.length} removals, ${anchors.length} anchors: all as they were made`);
