import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFolder } from '../../../workspace/run-tool.ts';
import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';
import { readEventIds } from './read-records.ts';
import { waitUntil } from './wait-until.ts';

/** The README's line, as a reader would copy it. */
function readCurlLine(): string {
  const readme = readFileSync(join(workspaceFolder, 'README.md'), 'utf8');
  const [line] = /^curl -s http:\/\/127\.0\.0\.1:8080\/demo\/[^`]*(?=\n```)/m.exec(readme) ?? [];
  if (line === undefined) throw new Error('README.md has no curl line for the demo provider');
  return line;
}

/**
 * Runs the README's curl line on the project's proxy until it is answered, and waits for its event in the management API.
 *
 * @param began when `docker compose up` began, as `performance.now()` gave it
 * @returns what to print
 */
export async function callDemo(project: ComposeProject, began: number): Promise<string> {
  const line = readCurlLine().replace('http://127.0.0.1:8080', await project.urlOf('balancer', 8080));
  let text = '';
  let printed = '';
  await waitUntil("an answer to the README's curl line", async () => {
    printed = await runCommand(['sh', '-c', line]).catch(String);
    text = readText(printed);
    return text !== '';
  }).catch((error: Error) => {
    throw new Error(`${error.message}; it printed ${printed}`, { cause: error });
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const url = await project.urlOf('balancer', 8081);
  await waitUntil('the event in GET /api/v1/events', async () => {
    const ids = await readEventIds(url, project.apiKey).catch(() => []);
    return ids.length === 1;
  });
  return `${seconds} s after "docker compose up" with images there, the README's curl line was answered (${JSON.stringify(text.slice(0, 60))}); its event is in GET /api/v1/events`;
}

function readText(printed: string): string {
  try {
    const { choices } = JSON.parse(printed) as { choices?: { message: { content: string } }[] };
    return choices?.[0]?.message.content ?? '';
  } catch {
    return '';
  }
}
