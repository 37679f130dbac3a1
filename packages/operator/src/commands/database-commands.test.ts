import { createServer } from 'node:net';
import { join } from 'node:path';
import { runCommandWithin } from '@agp/testing';
import { expect, test } from 'vitest';

const fileOf = (command: string) => join(import.meta.dirname, `${command}.ts`);
const toVariables = (databaseUrl?: string): Record<string, string> =>
  databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };

const run = (command: string, args: string[], databaseUrl?: string) =>
  runCommandWithin(fileOf(command), args, toVariables(databaseUrl));

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
  const help = await run(command, ['--help'], unused);
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toContain(`usage: npm run ${command}`);
  const refused = await run(command, [unknown], unused);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain(unknown);
  expect(refused.stderr).toContain(`usage: npm run ${command}`);
});

test.each(['create-roles', 'migrate', 'maintain'])(
  '%s says in one line that its database is missing or away',
  async (command) => {
    expect(await run(command, [])).toMatchObject({ status: 1, stdout: '', stderr: 'DATABASE_URL: is not set\n' });
    const away = await run(command, [], `postgres://agp:secret@localhost:${await findUnusedPort()}/agp`);
    expect(away).toMatchObject({ status: 1, stdout: '' });
    expect(away.stderr).toMatch(/^DATABASE_URL: the database cannot be used: \S.*\n$/);
    expect(away.stderr).not.toContain('secret');
  },
);

test('a command waits for a database that is slow to answer, as on a busy machine', async () => {
  let gaveUp = false;
  const server = createServer((socket) => {
    // Longer than a service waits.
    const ending = setTimeout(() => socket.removeAllListeners('close').destroy(), 6_000);
    socket.resume().once('close', () => {
      gaveUp = true;
      clearTimeout(ending);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { stderr } = await run('migrate', [], `postgres://agp:secret@127.0.0.1:${port}/agp`);
  server.close();
  expect(stderr).toContain('the database cannot be used');
  expect(gaveUp).toBe(false);
});

test('an address that is no URL of Postgres is refused', async () => {
  expect(await run('migrate', [], 'no URL')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^DATABASE_URL: must begin with/),
  });
});
