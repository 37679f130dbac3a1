import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineageRemovalsSchema, lineageSchema, maxPageSize } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import type { Command } from 'commander';
import { readNext, writeQuery } from '../api.ts';
import { addCommand } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { findAgentId } from '../find.ts';
import type { Shell } from '../shell.ts';

const verifier = fileURLToPath(new URL('../../../../docs/lineage/verify-lineage.mjs', import.meta.url));

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

interface EvidenceOptions {
  dir: string;
  from?: string;
  to?: string;
}

/** `agents evidence`: what an agent did, for somebody who checks it without trusting this installation. */
export function addEvidenceCommand(agents: Command, shell: Shell): void {
  addCommand(
    agents,
    'evidence <agent>',
    "write an agent's events of a range of time, the chains of their sessions, and the verifier, into a folder",
    'agents evidence invoice-checker --from 2026-10-01 --to 2026-11-01 --dir evidence',
  )
    .requiredOption('--dir <folder>', 'a folder that is not there yet')
    .option('--from <time>', 'since 7d, yesterday, 2026-11-20 or an ISO 8601 time; days are UTC')
    .option('--to <time>', 'until such a time')
    .action(async (agent: string, { dir, from, to }: EvidenceOptions) => {
      const { api, terminal } = shell;
      const agent_id = await findAgentId(api, agent);
      try {
        mkdirSync(dir);
        mkdirSync(join(dir, 'sessions'));
      } catch (error) {
        throw new CliError(`${dir}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be written'}`);
      }
      const path = writeQuery('/api/v1/events', { agent_id, from, to, limit: maxPageSize, expand: 'agent,outcome' });
      const [count, sessions] = await writeEvents(shell, join(dir, 'events.csv'), path);
      for (const id of sessions) {
        const chain = await api.get(`/api/v1/lineage/${id}`, lineageSchema);
        const removed = await api.get(`/api/v1/lineage/${id}/removed`, lineageRemovalsSchema);
        writeFileSync(join(dir, 'sessions', `${id}.json`), `${chain.text}\n${removed.text}\n`);
      }
      copyFileSync(verifier, join(dir, 'verify-lineage.mjs'));
      await terminal.print(
        `wrote ${formatCount(count)} events of ${formatCount(sessions.length)} sessions; to check them without us:\n` +
          `cd "${dir}"; bad=0; for each in sessions/*; do node verify-lineage.mjs < "$each" || bad=$?; done; (exit $bad)`,
      );
    });
}
