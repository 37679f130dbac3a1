/** Words of ordinary English, the commonest often. */
const words =
  'the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they you were their one all we can her has there been if more when will would who so no out up into than them only its time some could these two may then do first any my now such like our over man me even most made after also did many before must through back years where much your way well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three'.split(
    ' ',
  );

/** A generator of the same numbers from 0 to 1 on each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * What goes through a proxy of agents: chat prose, code, JSON of tools, logs and tables, with some PII in it. The same text
 * on each run.
 *
 * @param length how many UTF-16 units, all of them ASCII
 */
export function makeBenchText(length: number): string {
  const random = createRandom(3);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const count = (digits: number): string => String(Math.floor(random() * 10 ** digits)).padStart(digits, '0');
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');

  function sentence(): string {
    const row = Array.from({ length: 6 + Math.floor(random() * 14) }, () => pick(words));
    const first = row[0] as string;
    return `${first.charAt(0).toUpperCase()}${first.slice(1)} ${row.slice(1).join(' ')}${pick(['.', '.', '.', '?', '!', ':'])}`;
  }
  const prose = () => `${Array.from({ length: 3 + Math.floor(random() * 5) }, sentence).join(' ')}\n\n`;
  const code = () =>
    `export async function ${pick(words)}${pick(words)}(id: string, limit = ${count(3)}): Promise<void> {\n  const rows = await client.query('select * from events where id = $1 and seq > $2', [id, ${count(5)}]);\n  if (rows.length === 0) throw new Error(\`no ${pick(words)} for \${id}\`);\n  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString(), total: row.total ?? 0 }));\n}\n\n`;
  const json = () =>
    `{"id":"${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}","created":17${count(8)},"status":"${pick(words)}","amount":${count(4)}.${count(2)},"tags":["${pick(words)}","${pick(words)}"],"version":"${count(1)}.${count(2)}.${count(1)}","note":"${sentence()}"}\n`;
  const log = () =>
    `2026-03-${pick(['01', '12', '28'])}T${pick(['08', '13', '21'])}:${count(2)}:${count(2)}.${count(3)}Z INFO request ${hex(16)} ${pick(['GET', 'POST'])} /api/v1/${pick(words)}/${count(6)} 200 ${count(3)} ms ${count(5)} bytes\n`;
  const table = () => `| ${pick(words)} | ${count(3)} | ${count(2)}.${count(2)} | ${count(1)},${count(3)} |\n`;
  const personal = () =>
    `${pick([`Write to ${pick(words)}.${pick(words)}@example.org`, `My phone is +44 20 7946 0${count(3)}`, `Call (415) 555-0${count(3)} after six`, `The card 4111 1111 1111 1111 was charged`, `Pay to DE89 3704 0044 0532 0130 00`, `From 203.0.113.${pick(['7', '58', '190'])}`, `SSN 536-22-${count(4)}`, `Born on 4 May 1981, date of birth 04/05/1981`])} ${sentence()}\n`;
  const kinds = [prose, prose, prose, prose, prose, code, code, json, json, log, log, table, personal];

  const parts: string[] = [];
  let size = 0;
  while (size < length) {
    const part = pick(kinds)();
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, length);
}
