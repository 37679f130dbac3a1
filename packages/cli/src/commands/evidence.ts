import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventListQuerySchema, lineageRemovalsSchema, lineageSchema, maxPageSize } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import type { Command } from 'commander';
import { readNext, writeQuery } from '../api.ts';
import { addCommand } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { findAgentId } from '../find.ts';
import type { Shell } from '../shell.ts';

const scripts = new URL('../../../../docs/lineage/', import.meta.url);
const verifiers = ['verify-lineage.mjs', 'verify-evidence.mjs'];

/** The first three columns of an event are ids: no text of an agent stands before them. */
const sessionCell = /^evt_[^,]*,agt_[^,]*,(ses_[A-Za-z0-9_-]{1,64}),/;

/** Writes all pages of events as one CSV. @returns how many there are, and their sessions */
async function writeEvents({ api }: Shell, file: string, path: string): Promise<[count: number, sessions: string[]]> {
  const sessions = new Set<string>();
  let count = -1;
  writeFileSync(file, '');
  for (let next: string | null = path; next !== null; ) {
    const page: Response = await api.open(next, 'text/csv');
    const lines = (await page.text()).split('\r\n').filter(Boolean);
    const isFirst = count < 0;
    count += lines.length - (isFirst ? 0 : 1);
    const kept = isFirst ? lines : lines.slice(1);
    for (const line of kept) {
      const [, id] = sessionCell.exec(line) ?? [];
      if (id !== undefined) sessions.add(id);
    }
    appendFileSync(file, kept.map((line) => `${line}\r\n`).join(''));
    next = readNext(page);
  }
  return [count, [...sessions]];
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
      const query = { agent_id, ...range, limit: maxPageSize, expand: 'agent,outcome' };
      const [count, sessions] = await writeEvents(shell, join(dir, 'events.csv'), writeQuery('/api/v1/events', query));
      if (count === 0) {
        rmSync(dir, { recursive: true });
        throw new CliError(`${agent} has no event in this range: there is nothing to check`);
      }
      for (const id of sessions) {
        const chain = await api.get(`/api/v1/lineage/${id}`, lineageSchema);
        const removed = await api.get(`/api/v1/lineage/${id}/removed`, lineageRemovalsSchema);
        writeFileSync(join(dir, 'sessions', `${id}.json`), `${chain.text}\n${removed.text}\n`);
      }
      const index = { agent, agent_id, ...range, events: count, sessions };
      writeFileSync(join(dir, 'evidence.json'), `${JSON.stringify(index, null, 2)}\n`);
      for (const name of verifiers) copyFileSync(fileURLToPath(new URL(name, scripts)), join(dir, name));
      await terminal.print(
        `wrote ${formatCount(count)} events of ${formatCount(sessions.length)} sessions; to check them without us:\n` +
          `node "${join(dir, 'verify-evidence.mjs')}"`,
      );
    });
}
