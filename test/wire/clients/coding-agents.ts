import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CodingAgent, explainSkip, installCodingAgents } from '@agp/testing';
import { beforeAll, beforeEach } from 'vitest';
import { readSnippets } from '../../docs/read-snippets.ts';

const page = 'docs/clients.md';
const shownUrl = 'http://127.0.0.1:8080';

/** Exports of one of the page's snippets of a shell. */
function readExports(index: number, proxyUrl: string, agent: string, headers: Record<string, string>) {
  const shown = readSnippets(page, 'sh')[index] ?? '';
  const more = Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`);
  const exported = [...shown.matchAll(/^export (\w+)='?([^'\n]+)'?$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace(shownUrl, proxyUrl).replace('my-claude', `${agent}${more.join('')}`),
  ]);
  return Object.fromEntries(exported) as Record<string, string>;
}

/** Programs, and what they ask by. */
export type Setup = CodingAgent | 'bedrock';

/** What each program needs so that it asks a proxy, as the page of clients says; headers beside the agent's name are the test's. */
export const configure: Record<
  Setup,
  (proxyUrl: string, home: string, agent: string, headers?: Record<string, string>) => Record<string, string>
> = {
  codex(proxyUrl, home, agent, headers = {}) {
    const [shown = ''] = readSnippets(page, 'toml');
    const more = Object.entries(headers).map(([name, value]) => `, "${name}" = "${value}"`);
    // Its sandbox needs rights that a container lacks, and its plugins come from elsewhere.
    const ours = ['model = "gpt-5"', 'sandbox_mode = "danger-full-access"', 'features.plugins = false'];
    const quiet = ['check_for_update_on_startup = false', 'analytics.enabled = false'];
    const config = shown.replace(shownUrl, proxyUrl).replace('"my-codex"', `"${agent}"${more.join('')}`);
    writeFileSync(join(home, 'config.toml'), [...ours, ...quiet, config].join('\n'));
    return { CODEX_HOME: home, OPENAI_API_KEY: 'sk-test' };
  },
  claude(proxyUrl, home, agent, headers = {}) {
    return { CLAUDE_CONFIG_DIR: home, ANTHROPIC_API_KEY: 'sk-ant-test', ...readExports(0, proxyUrl, agent, headers) };
  },
  bedrock: (proxyUrl, home, agent, headers = {}) => ({
    CLAUDE_CONFIG_DIR: home,
    ...readExports(1, proxyUrl, agent, headers),
  }),
};

export interface Ended {
  code: number | null;
  shown: string;
  errors: string;
}

let files: Record<CodingAgent, string> | undefined;

/** Installs the programs before a file's tests, or says of each of them why it is skipped. */
export function needCodingAgents(): void {
  let whyNot = '';
  beforeAll(async () => {
    try {
      files = await installCodingAgents();
    } catch (error) {
      whyNot = explainSkip(error);
      console.warn(whyNot);
    }
  });
  beforeEach(({ skip }) => skip(whyNot !== '', whyNot));
}

/** Runs a program to its end; nothing of it leaves this machine. */
export async function runCodingAgent(
  program: CodingAgent,
  args: string[],
  home: string,
  environment: Record<string, string>,
): Promise<Ended> {
  if (!files) throw new Error('the programs are not installed');
  const nowhere = 'http://127.0.0.1:9';
  const local = { HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere, NO_PROXY: '127.0.0.1' };
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...local, ...environment };
  const child = spawn(files[program], args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [shown, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, shown, errors };
}
