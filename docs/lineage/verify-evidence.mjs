// Checks a folder of evidence without trusting the system that made it: each chain, and events.csv against the chains.
// It ends with 0: all agree; 1: something was changed, added or left out; 3: nothing is left but last hashes;
// 4: what is left agrees, and retention removed other events of these sessions.
import { readFileSync } from 'node:fs';
import { verifyLineage } from './verify-lineage.mjs';

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const { agents, from, to, kept_since, events, sessions } = JSON.parse(read('evidence.json'));
let isWrong = false;
function fail(text) {
  console.log(text);
  isWrong = true;
}

/** Without a list it is the evidence of all agents. */
const ids = agents && new Set(agents.map(({ id }) => id));
/** Their events in the range, by id, with the hash of each. */
const chained = new Map();
let gone = 0;
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
  const { code, text } = verifyLineage(input);
  // 3: only its last hash is left.
  if (code === 1) fail(text);
  const [chain, { removed = [] } = {}] = JSON.parse(`[${input.split('\n')}]`);
  for (const { first_seq, last_seq } of removed) gone += last_seq - first_seq + 1;
  for (const { event_id, lineage_hash, payload } of chain.entries) {
    const event = JSON.parse(payload);
    const isIn = (!from || event.timestamp >= from) && (!to || event.timestamp < to);
    if (ids?.has(event.agent_id) !== false && isIn) chained.set(event_id, { ...event, lineage_hash });
  }
}

const columns =
  'id,agent_id,session_id,timestamp,direction,model,provider,prompt_tokens,completion_tokens,total_tokens,cost_usd,' +
  'compliance_tag,pii_detected,pii_types,outcome,http_status,provider_request_id,pii_scan,lineage_hash';
const lines = read('events.csv').match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g) ?? [];
const [names = [], ...rows] = lines.map((line) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  ),
);
if (names.join() !== columns) fail('events.csv has other columns than it was written with');
/** An apostrophe keeps a spreadsheet from taking a text for a formula. */
const formulaStart = /(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])(?<=(?:^|[;|\t\r\n])"*)/g;
const toCell = (value) => (Array.isArray(value) ? value.join(';') : String(value ?? '')).replace(formulaStart, "'");
const isSame = (cell, value) =>
  typeof value === 'number' ? /^[\d.]+$/.test(cell) && Number(cell) === value : cell === toCell(value);
for (const row of rows) {
  const event = chained.get(row[0]);
  if (event === undefined) fail(`${row[0]}: no chain has it`);
  if (row.length !== names.length) fail(`${row[0]}: it has ${row.length} of ${names.length} cells`);
  for (const [at, name] of names.entries())
    if (event !== undefined && !isSame(row[at] ?? '', event[name]))
      fail(`${row[0]}: ${name} is ${row[at]} in events.csv, ${toCell(event[name])} in its chain`);
}
const listed = new Set(rows.map(([id]) => id));
if (listed.size !== events || rows.length !== events) fail(`events.csv has ${listed.size} of ${events} events`);
// An event may have been recorded between the list and its chain: then none of its session that is listed comes after it.
const left = [...chained.values()].filter(({ id }) => !listed.has(id));
for (const { id, session_id, seq } of left)
  if ([...chained.values()].some((each) => each.session_id === session_id && each.seq > seq && listed.has(each.id)))
    fail(`${id}: its chain has it, events.csv does not`);
// Else what was removed was before the range.
const isCut = gone > 0 && kept_since && (!from || from < kept_since);
if (isCut)
  console.log(
    `${gone} events of these sessions were removed for their age, before ${kept_since}: nothing tells what they were`,
  );
const verdict = listed.size === 0 ? 'only last hashes are left' : 'all as they were recorded';
console.log(`${listed.size} events of ${sessions.length} sessions: ${isWrong ? 'see above' : verdict}`);
const ofRemoval = listed.size === 0 ? 3 : 4;
process.exitCode = isWrong ? 1 : isCut ? ofRemoval : 0;
