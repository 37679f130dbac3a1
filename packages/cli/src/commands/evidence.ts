import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  eventListQuerySchema,
  lineageRemovalsSchema,
  lineageSchema,
  listedEventListSchema,
  maxPageSize,
  sessionListSchema,
} from '@agp/core/contracts';
import { writeCsvLine } from '@agp/core/csv';
import { listFields } from '@agp/core/events';
import { countOf, formatCount } from '@agp/core/explain';
import type { Command } from 'commander';
import { type ApiAnswer, readPages, writeQuery } from '../api.ts';
import { addCommand } from '../arguments.ts';
import { ApiFailure, CliError } from '../cli-error.ts';
import { findAgentId } from '../find.ts';
import type { Shell } from '../shell.ts';

const scripts = new URL('../../../../docs/lineage/', import.meta.url);
const verifiers = ['verify-lineage.mjs', 'verify-evidence.mjs'];

/** What the chains cover, so that each cell can be checked. */
const columns = [
  ...listFields({ in: 'chain', shown: 'event' }).map((name) => (name === 'cost_nano_usd' ? 'cost_usd' : name)),
  ...listFields({ in: 'chain', shown: 'outcome' }),
  'lineage_hash',
];

interface Written {
  count: number;
  sessions: Set<string>;
  /** Retention removed what was before; null if it removed nothing of the range. */
  keptSince: string | null;
}

/** Writes all pages of events as one CSV. */
async function writeEvents({ api }: Shell, file: string, path: string): Promise<Written> {
  const written: Written = { count: 0, sessions: new Set(), keptSince: null };
  writeFileSync(file, writeCsvLine(columns));
  for (let next: string | null = path; next !== null; ) {
    const page: ApiAnswer<Record<string, unknown>[]> = await api.get(next, listedEventListSchema);
    written.keptSince ??= page.keptSince;
    written.count += page.data.length;
    for (const { session_id } of page.data) written.sessions.add(String(session_id));
    appendFileSync(file, page.data.map((event) => writeCsvLine(columns.map((name) => event[name]))).join(''));
    next = page.next;
  }
  return written;
}

/** Sessions of the range, of which retention may have left nothing but the last hash. */
async function addRemoved({ api }: Shell, agent_id: string, { from, to }: Range, { sessions, keptSince }: Written) {
  if (keptSince === null) return;
  const before = [to, keptSince].filter((time) => time !== undefined).sort()[0];
  const query = { agent_id, to: before, limit: maxPageSize };
  const all = await readPages(api, '/api/v1/sessions', sessionListSchema, query).catch((error: unknown) => {
    // The base edition has no list: what is left of a session then names it.
    if (error instanceof ApiFailure && error.status === 404) return [];
    throw error;
  });
  for (const { id, ended_at } of all) if (from === undefined || ended_at >= from) sessions.add(id);
}

type Range = Partial<Record<'from' | 'to', string | undefined>>;

/** Times that do not move: whoever checks the evidence knows what it has to hold. */
function resolveRange(range: Range): Range {
  const { success, data, error } = eventListQuerySchema.safeParse(range);
  if (!success)
    throw new CliError(error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('; '));
  return { from: data.from?.toISOString(), to: data.to?.toISOString() };
}

interface EvidenceOptions extends Range {
  dir: string;
}

/** `agents evidence`: what an agent did, for somebody who checks it without trusting this installation. */
export function addEvidenceCommand(agents: Command, shell: Shell): void {
  addCommand(
    agents,
    'evidence <agent>',
    "write an agent's events of a range of time, the chains of their sessions, and what checks both, into a folder",
    'agents evidence invoice-checker --from 2026-10-01 --to 2026-11-01 --dir evidence',
  )
    .requiredOption('--dir <folder>', 'a folder that is not there yet')
    .option('--from <time>', 'since 7d, yesterday, 2026-11-20 or an ISO 8601 time; days are UTC')
    .option('--to <time>', 'until such a time')
    .action(async (agent: string, { dir, from, to }: EvidenceOptions) => {
      const { api, terminal } = shell;
      const agent_id = await findAgentId(api, agent);
      const range = resolveRange({ from, to });
      try {
        mkdirSync(dir);
        mkdirSync(join(dir, 'sessions'));
      } catch (error) {
        const { code = 'cannot be written' } = error as NodeJS.ErrnoException;
        throw new CliError(code === 'EEXIST' ? `${dir} is there already: name a new folder` : `${dir}: ${code}`);
      }
      const query = { agent_id, ...range, limit: maxPageSize, expand: 'outcome' };
      const written = await writeEvents(shell, join(dir, 'events.csv'), writeQuery('/api/v1/events', query));
      await addRemoved(shell, agent_id, range, written);
      const { count, sessions, keptSince } = written;
      let gone = 0;
      for (const id of sessions) {
        const chain = await api.get(`/api/v1/lineage/${id}`, lineageSchema);
        const removed = await api.get(`/api/v1/lineage/${id}/removed`, lineageRemovalsSchema);
        for (const { first_seq, last_seq } of keptSince === null ? [] : removed.data.removed)
          gone += last_seq - first_seq + 1;
        writeFileSync(join(dir, 'sessions', `${id}.json`), `${chain.text}\n${removed.text}\n`);
      }
      if (count + gone === 0) {
        rmSync(dir, { recursive: true });
        throw new CliError(`${agent} has no event in this range: there is nothing to check`);
      }
      const index = { agent, agent_id, ...range, kept_since: keptSince, events: count, sessions: [...sessions] };
      writeFileSync(join(dir, 'evidence.json'), `${JSON.stringify(index, null, 2)}\n`);
      for (const name of verifiers) copyFileSync(fileURLToPath(new URL(name, scripts)), join(dir, name));
      const removal = gone === 0 ? '' : `; of these sessions retention removed ${countOf(gone, 'event')} for their age`;
      await terminal.print(
        `wrote ${formatCount(count)} events of ${formatCount(sessions.size)} sessions${removal}; to check them without us:\n` +
          `node "${join(dir, 'verify-evidence.mjs')}"`,
      );
    });
}
