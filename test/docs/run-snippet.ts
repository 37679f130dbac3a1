import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '@agp/testing';
import { workspaceFolder } from '../workspace/run-tool.ts';

/** Runs a snippet as it stands on the page, but for the address of the proxy. */
export async function runSnippet(
  snippet: string,
  proxyUrl: string,
  environment: Record<string, string> = {},
  [program = '', ...flags]: string[] = [process.execPath, '--input-type=module', '-e'],
) {
  const code = snippet.replaceAll('http://127.0.0.1:8080', proxyUrl);
  const child = spawn(program, [...flags, code], {
    cwd: workspaceFolder,
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: exit as number, stdout: stdout.trim(), stderr };
}
