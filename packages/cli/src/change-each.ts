import { toLineText } from '@agp/core/text';
import { CliError } from './cli-error.ts';
import { findAgentId } from './find-agent.ts';
import type { Shell } from './shell.ts';

/** Changes agents, by name or id, one by one. Goes on after a failure, so that one wrong name keeps no other agent from being blocked. */
export async function changeEach(
  { api, terminal }: Shell,
  words: readonly string[],
  change: (agentId: string, word: string) => Promise<void>,
): Promise<void> {
  const agents = [...new Set(words)];
  let failed = 0;
  for (const agent of agents) {
    try {
      await change(await findAgentId(api, agent), agent);
    } catch (error) {
      if (agents.length === 1 || !(error instanceof CliError)) throw error;
      failed += 1;
      terminal.note(`${toLineText(agent)}: ${error.message}`);
    }
  }
  if (failed > 0) throw new CliError(`${failed} of ${agents.length} agents were not changed`);
}
