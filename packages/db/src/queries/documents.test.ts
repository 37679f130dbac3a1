import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { createDocument, deleteDocument, listDocuments, replaceDocument, type WrittenDocument } from './documents.ts';

const quota = { most: 2, team: null };
let management: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  management = openDatabase({ url: stack.urls.management.databaseUrl, applicationName: 'documents' });
  await management.pool.query('DELETE FROM notification_rules');
  return async () => {
    await management.close();
    await stack[Symbol.asyncDispose]();
  };
});

const make = async (name: 'budget' | 'rule' | 'target', written: WrittenDocument) => {
  const row = await createDocument(management.db, name, written, quota);
  if ('code' in row) throw new Error(row.code);
  return row;
};
const textsOf = async (name: 'budget' | 'rule') =>
  (await listDocuments(management.db, name)).map(({ text, version }) => [text, version]);

test('a text goes as soon as it does not say what holds: by a release without texts, or as a target has another name', async () => {
  const { id } = await make('budget', { document: { name: 'a', amount: 1 }, text: 'amount: 1 # one' });
  await management.pool.query(`UPDATE budgets SET version = 2, updated_at = now() WHERE id = $1`, [id]);
  expect(await textsOf('budget')).toEqual([['amount: 1 # one', 2]]);
  await management.pool.query(`UPDATE budgets SET budget = '{"name":"a","amount":2}' WHERE id = $1`, [id]);
  expect(await textsOf('budget')).toEqual([[null, 2]]);

  const target = await make('target', { document: { name: 'chat' }, secrets: {} });
  await make('rule', { document: { name: 'sends', targets: ['chat'] }, text: 'targets: [chat]' });
  await make('rule', { document: { name: 'sends-not', targets: [] }, text: 'targets: []' });
  const renamed = { document: { name: 'room' }, secrets: {} };
  await replaceDocument(management.db, 'target', target.id, () => renamed);
  expect(await textsOf('rule')).toEqual([
    [null, 2],
    ['targets: []', 1],
  ]);
  expect(await deleteDocument(management.db, 'target', target.id)).toEqual({
    ...{ code: 'target_in_use', message: 'rules send to it: sends' },
  });
});

test('no name is taken twice, and no more are made than there may be', async () => {
  const create = (name: string) => createDocument(management.db, 'rule', { document: { name, targets: [] } }, quota);
  expect(await create('sends')).toEqual({ code: 'rule_name_taken' });
  expect(await create('third')).toEqual({ code: 'too_many_rules' });
  const [one, other] = await listDocuments(management.db, 'rule');
  const rename = () => ({ document: { name: other?.name as string, targets: [] }, text: null });
  expect(await replaceDocument(management.db, 'rule', one?.id as string, rename)).toEqual({ code: 'rule_name_taken' });
});
