import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findStrangeVariables } from '@agp/runtime';
import { childEnvironment } from '@agp/testing';
import { expect, test } from 'vitest';
import { listFiles } from '../workspace/list-files.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';

const isDeployment = (file: string) =>
  /^(?:docker-compose\.yml|Dockerfile|k8s\/.*\.(?:yaml|env)|docs\/configuration\.md)$/.test(file);

test('no service warns of a variable that Compose, the manifests or the page of variables name', () => {
  const files = listFiles().filter(isDeployment);
  expect(files.length).toBeGreaterThan(20);
  const text = files.map((file) => readFileSync(join(workspaceFolder, file), 'utf8')).join('\n');
  const names = new Set(text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g));
  // A stream of NATS, which nobody sets.
  names.delete('AGP_EVENTS');
  expect(names.size).toBeGreaterThan(50);
  expect(findStrangeVariables(Object.fromEntries([...names].map((name) => [name, 'any'])))).toEqual([]);
});

test('each service warns of a misspelt variable, without its value, and says what it lacks', async () => {
  const starts = ['proxy', 'writer', 'management'].map(async (name) => {
    const child = spawn(process.execPath, [`services/${name}/src/main.ts`], {
      cwd: workspaceFolder,
      env: childEnvironment({ AGENT_IDENTTY: 'canary' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return [name, await text(child.stdout)] as const;
  });
  for (const [service, printed] of await Promise.all(starts)) {
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    // The line that ends a process may overtake one that its pipe did not take at once.
    expect(lines.find(({ level }) => level === 'warn')).toMatchObject({
      service,
      variable: 'AGENT_IDENTTY',
    });
    expect(lines.find(({ level }) => level === 'fatal')).toMatchObject({
      service,
      error: expect.stringContaining('DATABASE_URL: is not set'),
    });
    expect(printed).not.toContain('canary');
  }
});
