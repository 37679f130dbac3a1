import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  agentListSchema,
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
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { type ApiAnswer, readPages, writeQuery } from '../api.ts';
import { addCommand } from '../arguments.ts';
import { ApiFailure, CliError, UsageError } from '../cli-error.ts';
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

/** Adds all pages of events to a CSV. */
async function writeEvents({ api }: Shell, file: string, path: string, written: Written): Promise<void> {
  for (let next: string | null = path; next !== null; ) {
    const page: ApiAnswer<Record<string, unknown>[]> = await api.get(next, listedEventListSchema);
    written.keptSince ??= page.keptSince;
    written.count += page.data.length;
    for (const { session_id } of page.data) written.sessions.add(String(session_id));
    appendFileSync(file, page.data.map((event) => writeCsvLine(columns.map((name) => event[name]))).join(''));
    next = page.next;
  }
}

/** Sessions of the range, of which retention may have left nothing but the last hash. */
async function addRemoved(
  { api }: Shell,
  agent_id: string | undefined,
  { from, to }: Range,
  { sessions, keptSince }: Written,
) {
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
  label?: string;
  all?: true;
}

/** Whose evidence is asked for, by the names that were given; null for all agents. */
async function chooseAgents({ api }: Shell, words: string[], { label, all }: EvidenceOptions) {
  if ([words.length > 0, label !== undefined, all === true].filter(Boolean).length !== 1)
    throw new UsageError('name an agent, or several, or give --label or --all');
  if (label !== undefined) {
    const { data } = await api.get('/api/v1/agents', agentListSchema, { label });
    if (data.length === 0) throw new CliError(`no agent has the label ${toLineText(label, 128)}`);
    return data.map(({ id, name }) => ({ id, name }));
  }
  if (all) return null;
  const agents = new Map<string, string>();
  for (const name of words) agents.set(await findAgentId(api, name), name);
  return [...agents].map(([id, name]) => ({ id, name }));
}

/** `agents evidence`: what agents did, for somebody who checks it without trusting this installation. */
export function addEvidenceCommand(agents: Command, shell: Shell): void {
  addCommand(
    agents,
    'evidence [agent...]',
    'write events of agents in a range of time, the chains of their sessions, and what checks both, into a folder',
    'agents evidence invoice-checker --from 2026-10-01 --to 2026-11-01 --dir evidence',
  )
    .requiredOption('--dir <folder>', 'a folder that is not there yet')
    .option('--label <label>', 'of all agents that have it, such as team=sales')
    .option('--all', 'of all agents')
    .option('--from <time>', 'since 7d, yesterday, 2026-11-20 or an ISO 8601 time; days are UTC')
    .option('--to <time>', 'until such a time')
    .action(async (words: string[], options: EvidenceOptions) => {
      const { api, terminal } = shell;
      const { dir, from, to } = options;
      const agents = await chooseAgents(shell, words, options);
      const range = resolveRange({ from, to });
      try {
        mkdirSync(dir);
        mkdirSync(join(dir, 'sessions'));
      } catch (error) {
        const { code = 'cannot be written' } = error as NodeJS.ErrnoException;
        throw new CliError(code === 'EEXIST' ? `${dir} is there already: name a new folder` : `${dir}: ${code}`);
      }
      const file = join(dir, 'events.csv');
      const written: Written = { count: 0, sessions: new Set(), keptSince: null };
      writeFileSync(file, writeCsvLine(columns));
      for (const agent_id of agents?.map(({ id }) => id) ?? [undefined]) {
        const query = { agent_id, ...range, limit: maxPageSize, expand: 'outcome' };
        await writeEvents(shell, file, writeQuery('/api/v1/events', query), written);
        await addRemoved(shell, agent_id, range, written);
      }
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
        const whose = options.label ?? (words.join(', ') || 'the installation');
        throw new CliError(`${toLineText(whose)} has no event in this range: there is nothing to check`);
      }
      const index = { agents, ...range, kept_since: keptSince, events: count, sessions: [...sessions] };
      writeFileSync(join(dir, 'evidence.json'), `${JSON.stringify(index, null, 2)}\n`);
      for (const name of verifiers) copyFileSync(fileURLToPath(new URL(name, scripts)), join(dir, name));
      const removal = gone === 0 ? '' : `; of these sessions retention removed ${countOf(gone, 'event')} for their age`;
      await terminal.print(
        `wrote ${formatCount(count)} events of ${formatCount(sessions.size)} sessions${removal}; to check them without us:\n` +
          `node "${join(dir, 'verify-evidence.mjs')}"`,
      );
    });
}
