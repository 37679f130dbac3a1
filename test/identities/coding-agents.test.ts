import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodingAgent } from '@agp/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { readSnippets } from '../docs/read-snippets.ts';
import { needCodingAgents, runCodingAgent } from '../wire/clients/coding-agents.ts';
import { putIdentity } from './support/change-identities.ts';
import { startTestIssuer, type TestIssuer } from './support/test-issuer.ts';

const page = 'docs/clients.md';
const shownFile = '/var/run/secrets/agp/token';

needCodingAgents();

describe('coding agents', () => {
  let issuer: TestIssuer;
  let system: IdentitySystem;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'agp-coding-'));
    issuer = await startTestIssuer();
    system = await startIdentitySystem('token', { IDENTITY_ALLOWED_HOSTS: issuer.host });
    await putIdentity(system.system.database, {
      ...{ name: 'cluster', issuer: issuer.issuer, audiences: ['agp'], keys: { discovery: true } },
      rules: [{ name: 'all', agent: '{sub}' }],
    });
  });
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
    if (home) rmSync(home, { recursive: true, force: true });
  });

  async function run(program: CodingAgent, args: string[], environment: Record<string, string>) {
    const { code, shown, errors } = await runCodingAgent(program, args, home, environment);
    expect(code, shown + errors).toBe(0);
  }

  test.each(['codex', 'claude'])('%s sends what its command prints', async (program) => {
    const url = system.system.proxies[0]?.url ?? '';
    const file = join(home, `${program}-token`);
    writeFileSync(file, await issuer.sign({ sub: `coding-${program}` }));
    const before = system.provider.requests.length;
    if (program === 'codex') {
      const [provider = '', auth = ''] = readSnippets(page, 'toml');
      const config = `${provider.replace(/^env_key.*\n/m, '').replace(/^http_headers.*\n/m, '')}\n${auth}`
        .replace('http://127.0.0.1:8080', url)
        .replace(shownFile, file);
      writeFileSync(
        join(home, 'config.toml'),
        `model = "gpt-5"\nfeatures.plugins = false\ncheck_for_update_on_startup = false\n${config}`,
      );
      await run('codex', ['exec', '--skip-git-repo-check', 'Say hello'], { CODEX_HOME: home });
    } else {
      const [settings = ''] = readSnippets(page, 'json');
      writeFileSync(join(home, 'settings.json'), settings.replace(shownFile, file));
      await run('claude', ['-p', 'Say hello'], {
        ...{ CLAUDE_CONFIG_DIR: home, ANTHROPIC_BASE_URL: `${url}/anthropic` },
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      });
    }
    expect(await system.countAgents(`coding-${program}`)).toBe(1);
    const sent = system.provider.requests.slice(before);
    expect(sent.length).toBeGreaterThan(0);
    expect(JSON.stringify(sent.map(({ rawHeaders }) => rawHeaders))).not.toContain('eyJ');
  });
});
