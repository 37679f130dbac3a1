import { eventually, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.ts';

function open(url: string) {
  const database = openDatabase({ url, applicationName: 'standby-test', statementTimeoutMs: 1_000 });
  onTestFinished(() => database.close());
  return async () => (await database.pool.query("SELECT current_setting('port') AS port")).rows[0];
}

test('a standby is refused until it is promoted, and the endpoint is followed to it', async () => {
  await using stack = await startTestStack({ ownPostgres: 'pair' });
  const { primary, standby, promote, catchUp } = stack.postgresPair;
  const [first, second] = [primary, standby].map(({ url }) => ({ port: new URL(url).port }));
  const { databaseUrl } = stack.urls.writer;
  const ask = open(databaseUrl);
  const askStandby = open(Object.assign(new URL(databaseUrl), { host: new URL(standby.url).host }).href);
  expect(await ask()).toEqual(first);
  await catchUp();
  await expect(askStandby()).rejects.toThrow('is a standby, not the primary');
  await primary.kill();
  await expect(ask()).rejects.toThrow();
  await promote();
  for (const each of [ask, askStandby]) await eventually(async () => expect(await each()).toEqual(second));
  await primary.start();
  expect(await open(databaseUrl)()).toEqual(second);
});
