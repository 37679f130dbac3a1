import { createdApiKeySchema, maxViews, viewListSchema, viewSchema } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
const path = '/api/v1/console/views';
const view = { screen: '/events', name: 'failed', query: '?failed=true' };

test("a view is seen by who saved it, a shared one by all, and it takes admin to change what is everybody's", async () => {
  const key = await management.send('POST', '/api/v1/keys', { name: 'reader', scopes: ['read'] });
  const reader = { authorization: `Bearer ${createdApiKeySchema.parse(await key.json()).secret}` };
  const save = (body: object, headers = {}) => management.send('POST', path, { ...view, ...body }, headers);
  const list = async (headers = {}) => viewListSchema.parse(await (await management.call(path, { headers })).json());
  const own = viewSchema.parse(await (await save({}, reader)).json());
  expect(own).toMatchObject({ ...view, shared: false });
  const all = viewSchema.parse(await (await save({ shared: true })).json());
  expect(await list(reader)).toEqual([own, all]);
  expect(await list()).toEqual([all]);

  await management.refuse(await save({ shared: true }, reader), 403, /lacks scope admin/);
  await management.refuse(await save({ shared: true, query: '?x=1' }), 409, /^another shared view has this name/);
  const remove = (id: string, headers = {}) => management.call(`${path}/${id}`, { method: 'DELETE', headers });
  await management.refuse(await remove(all.id, reader), 403, /lacks scope admin/);
  await management.refuse(await remove(own.id), 404, 'view not found');

  const [again] = await Promise.all([save({ query: '' }, reader), save({ query: '' }, reader)]);
  expect(await again.json()).toMatchObject({ id: own.id, query: '' });
  await Promise.all(Array.from({ length: maxViews + 5 }, (_, at) => save({ name: `${at}` }, reader)));
  expect((await list(reader)).filter(({ shared }) => !shared)).toHaveLength(maxViews);
  await management.refuse(await save({ name: 'one more' }, reader), 409, 'there are 100 views already: remove one');
  expect((await remove(own.id, reader)).status).toBe(204);
  expect((await list(reader)).some(({ id }) => id === own.id)).toBe(false);
});

test.each([
  ['screen', '//evil.test'],
  ['screen', '/events?x'],
  ['name', ' '],
  ['name', 'x'.repeat(81)],
  ['name', 'a\0'],
  ['query', 'failed'],
  ['query', `?${'x'.repeat(2_000)}`],
  ['query', '?a b'],
])('a view with the %s %j is refused', async (member, value) => {
  const response = await management.send('POST', path, { ...view, [member]: value });
  await management.refuse(response, 400, new RegExp(`^${member}: `));
});
