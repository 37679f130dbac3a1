import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { childEnvironment } from '@agp/testing';
import { expect, test } from 'vitest';

function run(command: string, args: string[], databaseUrl?: string) {
  const file = join(import.meta.dirname, `${command}.ts`);
  const env = childEnvironment(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl });
  return spawnSync(process.execPath, [file, ...args], { encoding: 'utf8', env });
}

/** A port that nothing listens on. */
async function findUnusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.each([
  ['create-roles', '--dry-run'],
  ['migrate', 'now'],
  ['maintain', '--dry-run'],
])('%s explains itself, and refuses %s, before it connects', async (command, unknown) => {
  const unused = `postgres://agp@127.0.0.1:${await findUnusedPort()}/agp`;
  const help = run(command, ['--help'], unused);
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toContain(`usage: npm run ${command}`);
  const refused = run(command, [unknown], unused);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain(unknown);
  expect(refused.stderr).toContain(`usage: npm run ${command}`);
});

test.each(['create-roles', 'migrate', 'maintain'])(
  '%s says in one line that its database is missing or away',
  async (command) => {
    expect(run(command, [])).toMatchObject({ status: 1, stdout: '', stderr: 'DATABASE_URL: is not set\n' });
    const away = run(command, [], `postgres://agp:secret@localhost:${await findUnusedPort()}/agp`);
    expect(away).toMatchObject({ status: 1, stdout: '' });
    expect(away.stderr).toMatch(/^DATABASE_URL: the database cannot be used: \S.*\n$/);
    expect(away.stderr).not.toContain('secret');
  },
  // Five processes, which start slowly on a busy machine.
  60_000,
);

test('an address that is no URL of Postgres is refused', () => {
  expect(run('migrate', [], 'no URL')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^DATABASE_URL: must begin with/),
  });
});
