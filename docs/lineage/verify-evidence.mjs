// Checks a folder of evidence without trusting the system that made it: each chain, and events.csv against the chains.
// It ends with 0: all agree; 1: something was changed, added or left out; 2: the file of `--heads`
// has none; 3: nothing is left but last hashes; 4: what is left agrees, and retention removed other events of these sessions;
// 5: all agrees, but some that are said to be removed for their age stand behind older ones that are kept.
// Who makes every hash anew, or cuts an end off, is found only by heads that were noted before:
// `--print-heads` prints a line `session_id head` of each chain, and `--heads FILE` reads such lines.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { verifyLineage } from './verify-lineage.mjs';

const { values: asked } = parseArgs({ options: { heads: { type: 'string' }, 'print-heads': { type: 'boolean' } } });
const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const { agents, from, to, kept_since, events, sessions } = JSON.parse(read('evidence.json'));
let [wrong, doubtful] = [0, 0];
function fail(text) {
  console.log(text);
  wrong += 1;
}
const countOf = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Without a list it is the evidence of all agents. */
const ids = agents && new Set(agents.map(({ id }) => id));
/** Retention reached into the range. */
const isOld = kept_since && (!from || from < kept_since);
/** Events of all chains, by id, with the hash of each, and why one is no evidence of these agents and times. */
const chained = new Map();
/** How many events of a session were removed. */
const gone = new Map();
/** By session, each the last hash of its chain. */
const heads = new Map();
/** By session, heads that somebody kept where this system could not reach them. */
const noted = new Map();
if (asked.heads !== undefined) {
  let lines = '';
  try {
    lines = readFileSync(asked.heads, 'utf8');
  } catch {}
  for (const [, id, head] of lines.matchAll(/^(ses_[\w-]{1,64}) (sha256:[0-9a-f]{64})\r?$/gm))
    noted.set(id, [...(noted.get(id) ?? []), head]);
  if (noted.size === 0) {
    console.log(`${asked.heads} cannot be read, or has no line of a session and its head`);
    process.exit(2);
  }
}
for (const id of sessions) {
  // It names a file, and may come from somebody who is not trusted.
  if (!/^ses_[A-Za-z0-9_-]{1,64}$/.test(id)) {
    fail(`${JSON.stringify(id).replace(/[^ -~]/g, '?')}: not the id of a session`);
    continue;
  }
  let input = '';
  try {
    input = read(`sessions/${id}.json`).trim();
  } catch {
    fail(`${id}: its chain is missing`);
    continue;
  }
  const { code, text, hashes } = verifyLineage(input);
  if (code === 1) fail(text);
  else heads.set(id, hashes.at(-1));
  if (code === 3 && !isOld) fail(`${id}: all of it is said to be removed for its age, and the range is younger`);
  if (code === 5) {
    console.log(text);
    doubtful += 1;
  }
  const [chain, { removed = [] } = {}] = JSON.parse(`[${input.split('\n')}]`);
  for (const { first_seq, last_seq } of removed) gone.set(id, (gone.get(id) ?? 0) + last_seq - first_seq + 1);
  for (const head of noted.get(id) ?? [])
    if (!hashes?.includes(head))
      fail(`${id}: its chain has not the head that was noted: it was changed or cut, or that event was removed`);
  for (const { event_id, lineage_hash, payload } of chain.entries) {
    const event = JSON.parse(payload);
    const isIn = (!from || event.timestamp >= from) && (!to || event.timestamp < to);
    const ofOthers = ids?.has(event.agent_id) === false && 'it is of an agent that evidence.json does not name';
    chained.set(event_id, {
      ...event,
      lineage_hash,
      why: ofOthers || (!isIn && 'it is outside the range of evidence.json'),
    });
  }
}
const given = new Set(sessions);
const absent = [...noted.keys()].filter((id) => !given.has(id));
if (absent.length > 0) console.log(`noted, but not in this folder: ${absent.join(', ')}`);

const columns =
  'id,agent_id,session_id,timestamp,direction,model,provider,prompt_tokens,completion_tokens,total_tokens,cost_usd,' +
  'compliance_tag,pii_detected,pii_types,outcome,http_status,provider_request_id,pii_scan,lineage_hash';
const lines = read('events.csv').match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g) ?? [];
const [names = [], ...rows] = lines.map((line) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  ),
);
const known = columns.split(',');
if (names.join() !== columns) fail('events.csv has other columns than it was written with');
/** An apostrophe keeps a spreadsheet from taking a text for a formula. */
const formulaStart = /(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])(?<=(?:^|[;|\t\r\n])"*)/g;
const toCell = (value) => (Array.isArray(value) ? value.join(';') : String(value ?? '')).replace(formulaStart, "'");
const isSame = (cell, value) =>
  typeof value === 'number' ? /^[\d.]+$/.test(cell) && Number(cell) === value : cell === toCell(value);
const listed = new Set();
for (const row of rows) {
  const event = chained.get(row[0]);
  if (event === undefined) fail(`${row[0]}: no chain has it`);
  else if (event.why) fail(`${row[0]}: ${event.why}`);
  if (listed.has(row[0])) fail(`${row[0]}: events.csv has it more than once`);
  listed.add(row[0]);
  if (row.length !== names.length) fail(`${row[0]}: it has ${row.length} of ${names.length} cells`);
  for (const [at, name] of names.entries())
    if (event !== undefined && known.includes(name) && !isSame(row[at] ?? '', event[name]))
      fail(`${row[0]}: ${name} is ${row[at]} in events.csv, ${toCell(event[name])} in its chain`);
}
if (listed.size !== events) fail(`events.csv has ${countOf(listed.size, 'event')}, evidence.json says ${events}`);
// An event may have been recorded between the list and its chain: then none of its session that is listed comes after it.
const left = [...chained.values()].filter(({ id, why }) => !why && !listed.has(id));
for (const { id, session_id, seq } of left)
  if ([...chained.values()].some((each) => each.session_id === session_id && each.seq > seq && listed.has(each.id)))
    fail(`${id}: its chain has it, events.csv does not`);
const isCut = gone.size > 0;
if (isCut) {
  const [some, sum] = [[...gone].slice(0, 20), [...gone.values()].reduce((all, each) => all + each, 0)];
  const more = gone.size > some.length ? ` and the rest of ${countOf(gone.size - some.length, 'other session')}` : '';
  const of = some.map(([id, count]) => `${count} of ${id}`).join(', ');
  const when = isOld ? `, before ${kept_since}` : '';
  console.log(`${countOf(sum, 'event')} removed for their age${when}: ${of}${more}; what they were is not known`);
}
if (wrong + doubtful === 0) {
  const lines = [...heads].map((each) => `${each.join(' ')}\n`).sort();
  if (asked['print-heads']) process.stdout.write(lines.join(''));
  console.log(`heads: ${createHash('sha256').update(lines.join('')).digest('hex')}`);
}
const isGone = isCut && listed.size === 0;
const good = isGone ? 'only last hashes are left' : 'consistent: no cell, event or hash disagrees';
const doubt = doubtful > 0 ? `DOUBTFUL: ${countOf(doubtful, 'chain')}, named above` : good;
const verdict = wrong > 0 ? `CHANGED: ${countOf(wrong, 'difference')}, named above` : doubt;
console.log(`${countOf(listed.size, 'event')} of ${countOf(sessions.length, 'session')}: ${verdict}`);
process.exitCode = wrong > 0 ? 1 : doubtful > 0 ? 5 : isGone ? 3 : isCut ? 4 : 0;
