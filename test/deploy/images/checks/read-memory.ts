import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';

/** What each container uses at this moment, as `docker stats` counts it. */
export async function readMemory(project: ComposeProject): Promise<string[]> {
  const containers = await project.containers();
  const format = '{{.Name}}: {{.MemUsage}}, {{.CPUPerc}} of a core';
  const lines = await runCommand(['docker', 'stats', '--no-stream', '--format', format, ...containers]);
  return lines.split('\n').filter((line) => !line.includes(': 0B / 0B'));
}
