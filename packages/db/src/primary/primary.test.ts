import { eventually, runSql, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseOptions, openDatabase } from '../database.ts';

function open(url: string, options: Partial<DatabaseOptions> = {}) {
  const database = openDatabase({ url, applicationName: 'primary-test', statementTimeoutMs: 1_000, ...options });
  onTestFinished(() => database.close());
  const ask = async (text: string) => (await database.pool.query(text)).rows[0];
  return { ask };
}

const writable = "SELECT NOT pg_is_in_recovery() AS writable, current_setting('port') AS port";

test('of several servers the primary is used, a promoted one is found, and the old primary is never again', async () => {
  await using stack = await startTestStack({ ownPostgres: 'pair' });
  const { primary, standby, promote, catchUp } = stack.postgresPair;
  const [first, second] = [primary, standby].map(({ url }) => new URL(url).port);
  const { databaseUrl } = stack.urls.writer;
  // In whatever order they are named.
  const [, before, hosts, after] = /^(.*@)([^/]*)(.*)$/.exec(databaseUrl) ?? [];
  const turned = `${before}${hosts?.split(',').reverse().join(',')}${after}`;
  const [one, other] = [open(databaseUrl), open(turned)];
  const onStandby = open(`${before}${new URL(standby.url).host}${after}`);
  expect(await one.ask(writable)).toEqual({ writable: true, port: first });
  expect(await other.ask(writable)).toEqual({ writable: true, port: first });
  await catchUp();
  // What a standby says of an agent may be old.
  await expect(onStandby.ask(writable)).rejects.toThrow('is a standby, not the primary');

  await primary.kill();
  await expect(one.ask(writable)).rejects.toThrow();
  await promote();
  for (const { ask } of [one, other])
    await eventually(async () => expect(await ask(writable)).toEqual({ writable: true, port: second }));
  expect(await onStandby.ask(writable)).toEqual({ writable: true, port: second });

  await primary.start();
  // The other server is gone, and this one would take writes.
  standby.pause();
  expect((await runSql(primary.url, writable))[0]).toEqual({ writable: true, port: first });
  await eventually(() => expect(one.ask(writable)).rejects.toThrow('was the primary before another was promoted'));
  standby.resume();
  await eventually(async () => expect(await one.ask(writable)).toEqual({ writable: true, port: second }));
  // One that has not seen the promotion compares the two.
  expect(await open(databaseUrl).ask(writable)).toEqual({ writable: true, port: second });
});
