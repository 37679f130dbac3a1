import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Lineage, type LineageRemovals, lineageRemovalsSchema, lineageSchema } from '@agp/core/contracts';
import type { EventMessage } from '@agp/core/events';
import { buildPayload, emptyHead, hashLink } from '@agp/core/lineage';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';

const snippet = readFileSync(join(workspaceFolder, 'docs/lineage/verify-lineage.mjs'), 'utf8');
const sessionId = 'ses_demo';

function makeEvent(index: number, minute = '2026-11-20T19:06'): EventMessage {
  return {
    id: `evt_0${index}`,
    session_id: sessionId,
    agent_id: 'agt_01k9r3v8w5f2q8m6t4n0x7y1za',
    timestamp: `${minute}:1${index}.000Z`,
    direction: 'response',
    model: 'modèle 模型',
    provider: 'demo',
    prompt_tokens: 10,
    completion_tokens: index,
    total_tokens: 10 + index,
    cost_nano_usd: 1_234_567,
    compliance_tag: 'default',
    pii_detected: false,
    pii_types: [],
    request_sha256: 'a'.repeat(64),
    response_sha256: null,
    method: 'POST',
    path: '/v1/chat/completions',
    requested_model: null,
    provider_request_id: null,
    source_ip: '127.0.0.1',
    duration_ms: 5,
    first_byte_ms: 2,
    http_status: 200,
    outcome: 'completed',
    usage_source: 'provider',
    price_version: null,
    pii_scan: 'none',
    producer: 'prx_1',
    producer_seq: index,
    counts_as_request: true,
  };
}

function makeChain(minute?: string): Lineage {
  let previous = emptyHead.hash;
  const entries = [0, 1, 2, 3].map((seq) => {
    const event = makeEvent(seq, minute);
    const payload = buildPayload(event, seq);
    previous = hashLink(previous, payload);
    return { seq, event_id: event.id, lineage_hash: previous, payload };
  });
  return lineageSchema.parse({ session_id: sessionId, entries });
}

/** Runs the page's own script, on what the API would have answered. */
function verify(
  chain: Lineage,
  removed: LineageRemovals['removed'] = [],
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', snippet], {
    input: `${JSON.stringify(chain)}\n${JSON.stringify(lineageRemovalsSchema.parse({ session_id: chain.session_id, removed }))}\n`,
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr };
}

test('the script of the lineage page accepts a chain and prints its head', () => {
  const chain = makeChain();
  const head = chain.entries.at(-1)?.lineage_hash;
  expect(verify(chain)).toEqual({ status: 0, stdout: `${sessionId}: 4 events, head ${head}`, stderr: '' });
});

test('the script of the lineage page goes on behind what was removed, and behind nothing else', () => {
  const chain = makeChain();
  const [first, second, , last] = chain.entries;
  if (!first || !second || !last) throw new Error('no chain');
  const rest = { ...chain, entries: chain.entries.slice(2) };
  const gone = { first_seq: 0, last_seq: 1, lineage_hash: second.lineage_hash };
  const stdout = `${sessionId}: 2 events, and 2 removed for their age, head ${last.lineage_hash}`;
  const good = { status: 0, stdout, stderr: '' };
  expect(verify(rest, [gone])).toEqual(good);
  // Two removals, one after the other.
  expect(
    verify(rest, [
      { ...gone, last_seq: 0, lineage_hash: first.lineage_hash },
      { ...gone, first_seq: 1 },
    ]),
  ).toEqual(good);
  // Downloaded while it was removed.
  expect(verify(chain, [gone])).toMatchObject({ status: 0 });
  // Only the last hash is left: as good as nothing to check.
  const all = { first_seq: 0, last_seq: 3, lineage_hash: last.lineage_hash };
  expect(verify({ ...chain, entries: [] }, [all])).toEqual({
    status: 3,
    stdout: `${sessionId}: 0 events, and 4 removed for their age, head ${last.lineage_hash}`,
    stderr: '',
  });
  const bad = (seq: number) => ({ status: 1, stdout: `${sessionId}: diverges at seq ${seq}`, stderr: '' });
  expect(verify(rest, [{ ...gone, first_seq: 1 }])).toEqual(bad(0));
  expect(verify(rest, [{ ...gone, lineage_hash: first.lineage_hash }])).toEqual(bad(2));
  expect(verify({ ...chain, entries: chain.entries.slice(3) }, [gone])).toEqual(bad(2));
});

test.each([
  ['the end', 2, 3, undefined, 5],
  ['the middle', 1, 2, undefined, 5],
  ['the beginning', 0, 1, undefined, 0],
  // What began on Sunday may end after what began on Monday.
  ['the end', 2, 3, '2026-11-23T00:59', 0],
  ['the end', 2, 3, '2026-11-23T01:00', 5],
] as const)(
  '%s, from %i to %i, that is said to be removed for its age: kept events of %s',
  (_, from, to, minute, code) => {
    const { entries, ...chain } = makeChain(minute);
    const { lineage_hash = '' } = entries[to] ?? {};
    const kept = entries.filter(({ seq }) => seq < from || seq > to);
    const said = `${sessionId}: events from seq ${from} on are said to be removed for their age, older ones are kept`;
    const stdout =
      code === 5 ? said : `${sessionId}: 2 events, and 2 removed for their age, head ${entries[3]?.lineage_hash}`;
    const removed = [{ first_seq: from, last_seq: to, lineage_hash }];
    expect(verify({ ...chain, entries: kept }, removed)).toEqual({ status: code, stdout, stderr: '' });
  },
);

const tamperings: [string, number, (chain: Lineage) => void][] = [
  [
    'a figure changed',
    1,
    ({ entries }) => {
      const entry = entries[1];
      if (entry) entry.payload = entry.payload.replace('"completion_tokens":1', '"completion_tokens":9');
    },
  ],
  ['an event left out', 2, ({ entries }) => entries.splice(2, 1)],
  ['the first event left out', 0, ({ entries }) => entries.shift()],
  ['two events exchanged', 1, ({ entries }) => entries.splice(1, 2, ...entries.slice(1, 3).reverse())],
  [
    'a hash changed',
    3,
    ({ entries }) => {
      const entry = entries[3];
      if (entry) entry.lineage_hash = `sha256:${'0'.repeat(64)}`;
    },
  ],
  [
    'an event shown under another id',
    2,
    ({ entries }) => {
      const entry = entries[2];
      if (entry) entry.event_id = 'evt_other';
    },
  ],
  [
    'a chain shown for another session',
    0,
    (chain) => {
      chain.session_id = 'ses_other';
    },
  ],
];

test.each(tamperings)('the script of the lineage page finds %s', (_, seq, tamper) => {
  const chain = makeChain();
  tamper(chain);
  expect(verify(chain)).toEqual({ status: 1, stdout: `${chain.session_id}: diverges at seq ${seq}`, stderr: '' });
});

test('the lineage page names every member of a payload', () => {
  const page = readFileSync(join(workspaceFolder, 'docs/lineage.md'), 'utf8');
  const table = page.slice(page.indexOf('## What a payload holds'), page.indexOf('## The audit log'));
  const named = new Set([...table.matchAll(/`([a-z0-9_]+)`/g)].map((match) => match[1]));
  const members = Object.keys(JSON.parse(buildPayload(makeEvent(0), 0)));
  expect(members.filter((member) => !named.has(member))).toEqual([]);
});
