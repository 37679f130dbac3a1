import {
  type EvidenceApi,
  type EvidencePiece,
  type EvidenceTally,
  evidenceRangeSchema,
  gatherEvidence,
  tellEvidence,
} from '@agp/core/evidence';
import { formatCount } from '@agp/core/explain';
import { Zip, ZipDeflate } from 'fflate';
import verifyEvidence from '../../../../docs/lineage/verify-evidence.mjs?raw';
import verifyLineage from '../../../../docs/lineage/verify-lineage.mjs?raw';
import { callApi, fetchPage } from '../api/api.ts';
import { ApiFailure } from '../api/api-failure.ts';
import { quote, writeAgp } from '../components/export.tsx';
import { compact } from '../search/search.ts';

/** Whose evidence is asked for, and of when, in words or times that the API takes. */
export interface EvidenceAsked {
  whose: 'agent' | 'label' | 'all';
  agent_id?: string | undefined;
  label?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

interface Running {
  signal: AbortSignal;
  onTally: (tally: EvidenceTally) => void;
}

/** A ZIP and what it holds in a sentence; else why there is none, and the command that makes it. */
export type Packed = { file: Blob; name: string; told: string } | { why: string; run?: string };

/** What a page can keep at hand: beyond either a folder is written by `agp`. */
const most = { sessions: 5_000, megabytes: 200 };

const scripts = { 'verify-lineage.mjs': verifyLineage, 'verify-evidence.mjs': verifyEvidence };

/** Reads as the browser's session, until somebody cancels. */
const readApi = (signal: AbortSignal): EvidenceApi => ({
  async get(path, schema, query = {}) {
    const given = Object.entries(compact(query)).map(([name, value]) => [name, String(value)]);
    const address = given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
    const page = await fetchPage(address, signal);
    try {
      return { ...page, data: schema.parse(JSON.parse(page.text)) };
    } catch {
      const parts = { status: null, code: null, requestId: null, call: `GET ${path}` };
      throw new ApiFailure('The answer is not what this page expects: load the page again.', parts);
    }
  },
});

/** Null for all agents; a text if there is none. */
async function chooseAgents({ whose, agent_id = '', label }: EvidenceAsked, signal: AbortSignal) {
  if (whose === 'all') return null;
  if (whose === 'agent') {
    const { data } = await callApi('get', '/api/v1/agents/{id}', { params: { path: { id: agent_id } }, signal });
    return [{ id: data.id, name: data.name }];
  }
  const { data } = await callApi('get', '/api/v1/agents', { params: { query: { label } }, signal });
  return data.length === 0 ? `No agent has the label ${label}.` : data.map(({ id, name }) => ({ id, name }));
}

/** Packs files piece by piece: what is kept are packed bytes alone. */
function openZip() {
  const packed: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    packed.push(bytes);
  });
  const encoder = new TextEncoder();
  let last: { path: string; file: ZipDeflate } | null = null;
  const endLast = () => last?.file.push(new Uint8Array(), true);
  return {
    add({ path, text }: Pick<EvidencePiece, 'path' | 'text'>): void {
      if (last?.path !== path) {
        endLast();
        last = { path, file: new ZipDeflate(path) };
        zip.add(last.file);
      }
      last.file.push(encoder.encode(text));
    },
    end(): Blob {
      endLast();
      zip.end();
      return new Blob(packed, { type: 'application/zip' });
    },
  };
}

/**
 * The files that `agp agents evidence` writes into a folder, as one ZIP.
 * @throws ApiFailure whatever of the API goes wrong, except an abort by `signal`
 */
export async function packEvidence(asked: EvidenceAsked, { signal, onTally }: Running): Promise<Packed> {
  const range = evidenceRangeSchema.safeParse({ from: asked.from, to: asked.to });
  if (!range.success)
    return { why: range.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ') };
  const agents = await chooseAgents(asked, signal);
  if (typeof agents === 'string') return { why: agents };
  const [name, ...words] =
    asked.whose === 'all'
      ? ['all', '--all']
      : asked.whose === 'label'
        ? [asked.label ?? '', '--label', quote(asked.label ?? '')]
        : [agents?.[0]?.name ?? '', quote(agents?.[0]?.name ?? '')];
  const zip = openZip();
  let size = 0;
  let told: string | null = null;
  const of = { agents, label: asked.whose === 'label' ? asked.label : undefined, ...range.data };
  for await (const piece of gatherEvidence(readApi(signal), of, (script) => scripts[script])) {
    signal.throwIfAborted();
    const { tally, text } = piece;
    size += text.length;
    if (tally.sessions > most.sessions || size > most.megabytes * 1e6) {
      const { from, to } = range.data;
      const times = [from && `--from ${from}`, to && `--to ${to}`].filter((word) => word !== undefined);
      return {
        why: `More than ${formatCount(most.sessions)} sessions or ${most.megabytes} MB are too much for a page. This writes them into a folder:`,
        run: writeAgp('agents evidence', ...words, ...times, '--dir evidence'),
      };
    }
    zip.add(piece);
    onTally(tally);
    if (tally.events + tally.removed > 0) told = tellEvidence(tally);
  }
  if (told === null) return { why: 'There is no event in this range: there is nothing to check.' };
  const { from, to } = range.data;
  // What ends with midnight ends with the day before.
  const lastDay = new Date((to === undefined ? Date.now() : Date.parse(to)) - 1).toISOString().slice(0, 10);
  const parts = ['evidence', name.replace(/[^\p{L}\p{N}._-]+/gu, '-'), from?.slice(0, 10), 'to', lastDay];
  return { file: zip.end(), name: `${parts.filter((part) => part !== undefined).join('-')}.zip`, told };
}
