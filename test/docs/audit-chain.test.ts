import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AuditEntry, linkAudit } from '@agp/core/audit';
import { emptyHead } from '@agp/core/lineage';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';

const snippet = readFileSync(join(workspaceFolder, 'docs/lineage/verify-audit.mjs'), 'utf8');

function makeChain() {
  const entries = [0, 1, 2, 3].map(
    (index): AuditEntry => ({
      id: `aud_0${index}`,
      timestamp: `2026-11-20T19:06:1${index}.000Z`,
      actor: { kind: 'api_key', id: 'key_01', name: 'Nachtschicht é' },
      source_ip: '127.0.0.1',
      action: 'agent.update',
      agent_id: 'agt_01',
      target: 'agt_01',
      before: { status: 'active' },
      after: { status: 'blocked', metadata: { '10': 1, '9': 2 } },
      count: 1,
    }),
  );
  return linkAudit(emptyHead, entries).map(({ entry, seq, payload, lineageHash }) => ({
    seq,
    id: entry.id,
    lineage_hash: lineageHash,
    payload,
  }));
}

type Chain = ReturnType<typeof makeChain>;

/** Runs the page's own script, on what the API would have answered. */
function verify(entries: Chain): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', snippet], {
    input: JSON.stringify({ entries }),
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr };
}

test("the page's script for the audit log accepts a chain and prints its head", () => {
  const chain = makeChain();
  const head = chain.at(-1)?.lineage_hash;
  expect(verify(chain)).toEqual({ status: 0, stdout: `audit log: 4 entries, head ${head}`, stderr: '' });
});

test.each<[string, number, (chain: Chain) => Chain]>([
  ['an entry left out', 2, (chain) => chain.toSpliced(2, 1)],
  ['the first entry left out', 0, (chain) => chain.slice(1)],
  [
    'another name in an entry',
    1,
    (chain) => chain.map((link, at) => (at === 1 ? { ...link, payload: link.payload.replace('Nacht', 'Tag') } : link)),
  ],
  ['an entry shown under another id', 3, (chain) => chain.map((link, at) => (at === 3 ? { ...link, id: 'x' } : link))],
])("the page's script for the audit log finds %s", (_, seq, tamper) => {
  expect(verify(tamper(makeChain()))).toEqual({ status: 1, stdout: `audit log: diverges at seq ${seq}`, stderr: '' });
});
