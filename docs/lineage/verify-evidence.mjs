// Checks a folder of evidence without trusting the system that made it: each chain, and events.csv against the chains.
// It ends with 0: all agree; 1: something was changed, added or left out; 3: of a session only the last hash is left.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const { agent_id, from, to, events, sessions } = JSON.parse(read('evidence.json'));
let worst = 0;
function fail(text, code = 1) {
  console.log(text);
  worst = worst === 1 ? 1 : code;
}

/** Events of the agent in the range, by id, with the hash of each. */
const chained = new Map();
for (const id of sessions) {
  let input = '';
  try {
    input = read(`sessions/${id}.json`);
  } catch {
    fail(`${id}: its chain is missing`);
    continue;
  }
  const { status, stdout } = spawnSync(process.execPath, ['verify-lineage.mjs'], {
    input,
    encoding: 'utf8',
    cwd: new URL('.', import.meta.url),
  });
  if (status !== 0) fail(stdout.trim(), status);
  for (const { event_id, lineage_hash, payload } of JSON.parse(input.split('\n')[0]).entries) {
    const event = JSON.parse(payload);
    const isIn = (!from || event.timestamp >= from) && (!to || event.timestamp < to);
    if (event.agent_id === agent_id && isIn) chained.set(event_id, { ...event, lineage_hash });
  }
}

const lines = read('events.csv').match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g) ?? [];
const [names = [], ...rows] = lines.map((line) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  ),
);
/** As a cell has it; apostrophes that keep a spreadsheet from taking a text for a formula are passed over. */
const toCell = (value) => (Array.isArray(value) ? value.join(';') : String(value ?? '')).replaceAll("'", '');
for (const row of rows) {
  const event = chained.get(row[0]);
  if (event === undefined) fail(`${row[0]}: no chain has it`);
  for (const [at, name] of names.entries()) {
    if (event === undefined || !(name in event) || row[at] === 'no price') continue;
    const isSame =
      typeof event[name] === 'number'
        ? Number(row[at]) === event[name]
        : row[at].replaceAll("'", '') === toCell(event[name]);
    if (!isSame) fail(`${row[0]}: ${name} is ${row[at]} in events.csv, ${toCell(event[name])} in its chain`);
  }
}
const listed = new Set(rows.map(([id]) => id));
if (listed.size !== events) fail(`events.csv has ${listed.size} of ${events} events`);
// An event may have been recorded between the list and its chain: then none of its session that is listed comes after it.
const left = [...chained.values()].filter(({ id }) => !listed.has(id));
for (const { id, session_id, seq } of left)
  if ([...chained.values()].some((each) => each.session_id === session_id && each.seq > seq && listed.has(each.id)))
    fail(`${id}: its chain has it, events.csv does not`);
console.log(
  `${listed.size} events of ${sessions.length} sessions: ${worst === 0 ? 'all as they were recorded' : 'see above'}`,
);
process.exitCode = worst;
