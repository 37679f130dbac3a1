import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { agentListSchema } from '@agp/core/contracts';
import { type EvidenceTally, evidenceRangeSchema, gatherEvidence, tellEvidence } from '@agp/core/evidence';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { findAgentId } from '../find.ts';
import type { Shell } from '../shell.ts';

const scripts = new URL('../../../../docs/lineage/', import.meta.url);

type Range = Partial<Record<'from' | 'to', string | undefined>>;

function resolveRange(range: Range) {
  const { success, data, error } = evidenceRangeSchema.safeParse(range);
  if (!success)
    throw new CliError(error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('; '));
  return data;
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
      const { dir, label, from, to } = options;
      const agents = await chooseAgents(shell, words, options);
      const range = resolveRange({ from, to });
      try {
        mkdirSync(dir);
        mkdirSync(join(dir, 'sessions'));
      } catch (error) {
        const { code = 'cannot be written' } = error as NodeJS.ErrnoException;
        throw new CliError(code === 'EEXIST' ? `${dir} is there already: name a new folder` : `${dir}: ${code}`);
      }
      const readScript = (name: string) => readFileSync(new URL(name, scripts), 'utf8');
      let tally: EvidenceTally | undefined;
      for await (const piece of gatherEvidence(api, { agents, label, ...range }, readScript)) {
        appendFileSync(join(dir, piece.path), piece.text);
        ({ tally } = piece);
      }
      if (tally === undefined || tally.events + tally.removed === 0) {
        rmSync(dir, { recursive: true });
        const whose = label ?? (words.join(', ') || 'the installation');
        throw new CliError(`${toLineText(whose)} has no event in this range: there is nothing to check`);
      }
      await terminal.print(
        `wrote ${tellEvidence(tally)}; to check them without us:\nnode "${join(dir, 'verify-evidence.mjs')}"`,
      );
    });
}
