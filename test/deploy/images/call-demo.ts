import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import type { ComposeProject } from './compose-project.ts';
import { readEventIds } from './read-records.ts';
import { waitUntil } from './roll-services.ts';
import { runCommand } from './run-command.ts';

/** The README's line, as a reader would copy it. */
function readCurlLine(): string {
  const readme = readFileSync(join(workspaceFolder, 'README.md'), 'utf8');
  const [line] = /^curl -s http:\/\/127\.0\.0\.1:8080\/demo\/[^`]*(?=\n```)/m.exec(readme) ?? [];
  if (line === undefined) throw new Error('README.md has no curl line for the demo provider');
  return line;
}

/** Runs the README's curl line on the project's proxy, and waits for its event in the management API. @returns what to print */
export async function callDemo(project: ComposeProject): Promise<string> {
  const [proxy = ''] = await project.containers('proxy');
  const [management = ''] = await project.containers('management');
  const line = readCurlLine().replace('http://127.0.0.1:8080', await project.urlOf(proxy, 8080));
  const answer = JSON.parse(await runCommand(['sh', '-c', line])) as { choices?: { message: { content: string } }[] };
  const text = answer.choices?.[0]?.message.content;
  if (!text) throw new Error(`the README's curl line answered ${JSON.stringify(answer)}`);
  const url = await project.urlOf(management, 8081);
  await waitUntil('the event in GET /api/v1/events', async () => {
    const ids = await readEventIds(url, project.apiKey);
    return ids.length === 1;
  });
  return `the README's curl line was answered (${JSON.stringify(text.slice(0, 60))}), and its event is in GET /api/v1/events`;
}
