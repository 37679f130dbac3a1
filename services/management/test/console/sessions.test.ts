import { createHash } from 'node:crypto';
import {
  auditListSchema,
  consoleLinkSchema,
  consoleSessionListSchema,
  consoleSessionSchema,
  createdApiKeySchema,
  type Scope,
  type Team,
} from '@agp/core/contracts';
import { describe, expect, test } from 'vitest';
import { bootstrapKey, shareTestManagement, startTestManagement } from '../support/start-test-management.ts';
import { BrowserCalls, send } from './browser-calls.ts';

const management = shareTestManagement();

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const query = (sql: string, values: unknown[] = []) => management.database.pool.query(sql, values);

async function makeKey(scopes: Scope[], name = scopes.join('+'), match?: Team) {
  const answer = await management.send('POST', '/api/v1/keys', { name, scopes, match });
  return createdApiKeySchema.parse(await answer.json());
}

async function signedIn(api_key: string = bootstrapKey): Promise<BrowserCalls> {
  const browser = new BrowserCalls(management);
  expect((await browser.signIn({ api_key })).status).toBe(200);
  return browser;
}

async function makeLink(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await management.call('/api/v1/console/links', { method: 'POST', headers });
  expect(answer.status).toBe(201);
  const { path } = consoleLinkSchema.parse(await answer.json());
  return /^\/sign-in#code=(agl_[\w-]{43})$/.exec(path)?.[1] as string;
}

const readAudit = () => management.read('/api/v1/audit?limit=200', auditListSchema);

describe('a session', () => {
  test('is begun with a key, opens what the key opens, and ends for good when its person signs out', async () => {
    const browser = new BrowserCalls(management);
    expect((await browser.call('/console/session')).body).toEqual({ signed_in: false, oidc: false });
    const answer = await browser.signIn({ api_key: bootstrapKey });
    const shown = consoleSessionSchema.parse(answer.body);
    expect(shown).toMatchObject({
      signed_in: true,
      kind: 'api_key',
      name: 'bootstrap',
      role: 'admin',
      edition: 'extended',
    });
    expect(answer.text).not.toContain(bootstrapKey);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^agp_console=ags_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect((await browser.call('/console/session')).body).toEqual(shown);
    expect((await browser.call('/api/v1/agents')).status).toBe(200);
    expect((await browser.call('/api/v1/pause', { method: 'PUT', body: { paused: false } })).status).toBe(200);
    const { cookie } = browser;
    expect((await browser.call('/console/session', { method: 'DELETE' })).status).toBe(204);
    expect(browser.cookie).toBeUndefined();
    browser.cookie = cookie;
    const refused = await browser.call('/api/v1/agents');
    expect([refused.status, refused.body, refused.headers['x-error-code']]).toEqual([
      401,
      { error: 'signed out: sign in again' },
      'session_ended',
    ]);
    expect((await browser.call('/console/session')).body).toEqual({ signed_in: false, oidc: false });
  });

  test('has its secrets in storage only as digests', async () => {
    const browser = await signedIn();
    const token = browser.cookie?.split('=')[1] as string;
    const { rows } = await query('SELECT * FROM console_sessions WHERE token_sha256 = $1', [sha256(token)]);
    expect(rows).toMatchObject([{ key_sha256: sha256(bootstrapKey) }]);
    for (const secret of [token, bootstrapKey]) expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('may do what its key may, and is told so', async () => {
    const [viewer, operator] = [await makeKey(['read']), await makeKey(['read', 'write'])];
    const reading = await signedIn(viewer.secret);
    expect((await reading.call('/console/session')).body).toMatchObject({ role: 'viewer', scopes: ['read'] });
    expect((await reading.call('/api/v1/agents')).status).toBe(200);
    for (const [method, path, body] of [
      ['PUT', '/api/v1/pause', { paused: true }],
      ['POST', '/api/v1/keys', { name: 'x', scopes: ['admin'] }],
      ['GET', '/api/v1/keys', undefined],
      ['GET', '/api/v1/console/sessions', undefined],
    ] as const)
      expect((await reading.call(path, { method, body })).status, path).toBe(403);
    const changing = await signedIn(operator.secret);
    expect((await changing.call('/console/session')).body).toMatchObject({ role: 'operator' });
    expect((await changing.call('/api/v1/pause', { method: 'PUT', body: { paused: false } })).status).toBe(200);
    const made = await changing.call('/api/v1/keys', { method: 'POST', body: { name: 'x', scopes: ['admin'] } });
    expect(made.status).toBe(403);
  });

  test("has its key's view, with a link too, and is listed and noted with it", async () => {
    const match = { team: 'search', env: 'prod' };
    const key = await makeKey(['read'], 'search leads', match);
    const browser = await signedIn(key.secret);
    expect((await browser.call('/console/session')).body).toMatchObject({ signed_in: true, match });
    expect((await (await signedIn()).call('/console/session')).body).toMatchObject({ match: null });
    const linked = new BrowserCalls(management);
    expect((await linked.signIn({ code: await makeLink(key.secret) })).body).toMatchObject({ match });
    const listed = await management.read('/api/v1/console/sessions', consoleSessionListSchema);
    const views = listed.flatMap((session) => (session.name === 'search leads' ? [session.match] : []));
    expect(views).toEqual([match, match]);
    const signIns = (await readAudit()).filter(({ actor }) => 'id' in actor && actor.id === key.id);
    expect(signIns.flatMap(({ action, after }) => (action === 'console.sign_in' ? [after] : []))).toEqual([
      expect.objectContaining({ method: 'link', match }),
      expect.objectContaining({ method: 'api_key', match }),
    ]);
  });

  test.each(['deleted', 'rotated', 'expired'])('ends with its key: %s', async (end) => {
    const key = await makeKey(['read', 'admin']);
    const browser = await signedIn(key.secret);
    if (end === 'deleted') await management.call(`/api/v1/keys/${key.id}`, { method: 'DELETE' });
    if (end === 'rotated') await management.send('POST', `/api/v1/keys/${key.id}/rotate`, {});
    if (end === 'expired')
      await query('UPDATE api_keys SET expires_at = now() WHERE secret_sha256 = $1', [sha256(key.secret)]);
    expect((await browser.call('/api/v1/agents')).status).toBe(401);
    expect((await browser.call('/console/session')).body).toMatchObject({ signed_in: false });
  });

  test.each([
    ['after 30 minutes without use', "last_used_at = now() - interval '31 minutes'"],
    ['after 12 hours', 'expires_at = now()'],
  ])('ends %s', async (_when, set) => {
    const browser = await signedIn();
    const token = sha256(browser.cookie?.split('=')[1] as string);
    const { rows } = await query(
      'SELECT expires_at - created_at AS life FROM console_sessions WHERE token_sha256 = $1',
      [token],
    );
    expect(rows[0].life.hours).toBeGreaterThanOrEqual(11);
    await query(`UPDATE console_sessions SET ${set} WHERE token_sha256 = $1`, [token]);
    expect((await browser.call('/api/v1/agents')).status).toBe(401);
  });

  test('that is used does not count as idle', async () => {
    const browser = await signedIn();
    const token = sha256(browser.cookie?.split('=')[1] as string);
    await query("UPDATE console_sessions SET last_used_at = now() - interval '29 minutes' WHERE token_sha256 = $1", [
      token,
    ]);
    expect((await browser.call('/api/v1/agents')).status).toBe(200);
    await expect
      .poll(async () => {
        const sql =
          "SELECT last_used_at > now() - interval '1 minute' AS noted FROM console_sessions WHERE token_sha256 = $1";
        return (await query(sql, [token])).rows;
      })
      .toEqual([{ noted: true }]);
  });

  test('is ended by an admin, with its open stream', async () => {
    const key = await makeKey(['read'], 'night shift');
    const browser = await signedIn(key.secret);
    const { host: _host, ...headers } = browser.headers;
    const stream = await fetch(`${management.service.url}/api/v1/events/stream`, {
      headers: headers as Record<string, string>,
    });
    expect(stream.status).toBe(200);
    const find = async () =>
      (await management.read('/api/v1/console/sessions', consoleSessionListSchema)).find(
        ({ name }) => name === 'night shift',
      );
    const session = await find();
    expect(session).toMatchObject({ kind: 'api_key', role: 'viewer', source_ip: '127.0.0.1' });
    const path = `/api/v1/console/sessions/${session?.id}?reason=laptop%20lost`;
    expect((await management.call(path, { method: 'DELETE' })).status).toBe(204);
    expect((await browser.call('/api/v1/agents')).status).toBe(401);
    await stream.text();
    expect(await find()).toBeUndefined();
    await management.refuse(await management.call(path, { method: 'DELETE' }), 404, 'console session not found');
    const [entry] = await readAudit();
    expect(entry).toMatchObject({ action: 'console.revoke', target: session?.id, reason: 'laptop lost' });
  });

  test('of a browser that signs in again replaces the one before; one key has at most fifty', async () => {
    const key = await makeKey(['read'], 'many');
    const browser = await signedIn(key.secret);
    const before = browser.cookie;
    await browser.signIn({ api_key: key.secret });
    expect(browser.cookie).not.toBe(before);
    expect((await browser.call('/api/v1/agents', { headers: { cookie: before } })).status).toBe(401);
    for (let more = 0; more < 53; more += 1) await signedIn(key.secret);
    const listed = await management.read('/api/v1/console/sessions', consoleSessionListSchema);
    expect(listed.filter(({ name }) => name === 'many')).toHaveLength(50);
    // One by its own browser, and four that were too many; each as it was, by whoever signed in.
    const replaced = (await readAudit()).filter(
      ({ action, actor }) => action === 'console.replace' && 'id' in actor && actor.id === key.id,
    );
    expect(replaced).toHaveLength(5);
    for (const { target, before: session, after, source_ip } of replaced)
      expect([session, after, source_ip]).toEqual([
        expect.objectContaining({ id: target, name: 'many', kind: 'api_key' }),
        null,
        '127.0.0.1',
      ]);
    expect(new Set(replaced.map(({ target }) => target)).size).toBe(5);
    expect(await (await management.call('/api/v1/audit/verify')).json()).toMatchObject({ valid: true });
  });
});

describe('a one-time link', () => {
  test('signs in once as the holder of its key, also of many who try at once', async () => {
    const key = await makeKey(['read', 'write'], 'linked');
    const code = await makeLink(key.secret);
    const { rows } = await query('SELECT * FROM console_codes');
    expect(JSON.stringify(rows)).not.toContain(code);
    const tries = await Promise.all(Array.from({ length: 10 }, () => new BrowserCalls(management).signIn({ code })));
    const [first, ...others] = tries.toSorted((a, b) => a.status - b.status);
    expect(first?.body).toMatchObject({ signed_in: true, name: 'linked', scopes: ['read', 'write'] });
    expect(others.map(({ status }) => status)).toEqual(Array(9).fill(401));
  });

  test('works ten minutes, and not after its key', async () => {
    const key = await makeKey(['read']);
    const [late, orphan] = [await makeLink(key.secret), await makeLink(key.secret)];
    await query('UPDATE console_codes SET expires_at = now() WHERE code_sha256 = $1', [sha256(late)]);
    expect((await new BrowserCalls(management).signIn({ code: late })).status).toBe(401);
    await management.call(`/api/v1/keys/${key.id}`, { method: 'DELETE' });
    expect((await new BrowserCalls(management).signIn({ code: orphan })).status).toBe(401);
  });

  test('is not made from a session, which could outlive itself so', async () => {
    const browser = await signedIn();
    const answer = await browser.call('/api/v1/console/links', { method: 'POST' });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'needs_api_key']);
  });
});

describe('the audit log', () => {
  test('has links, signing in and signing out, without secrets', async () => {
    const key = await makeKey(['read'], 'audited');
    const code = await makeLink(key.secret);
    const browser = new BrowserCalls(management);
    await browser.signIn({ code });
    const token = browser.cookie?.split('=')[1] as string;
    await browser.call('/console/session', { method: 'DELETE' });
    const entries = (await readAudit()).filter(({ actor }) => 'name' in actor && actor.name === 'audited');
    const actor = { kind: 'api_key', id: key.id, name: 'audited' };
    expect(entries).toMatchObject([
      { action: 'console.sign_out', actor, source_ip: '127.0.0.1', target: expect.stringMatching(/^con_/) },
      { action: 'console.sign_in', actor, after: { method: 'link', role: 'viewer' } },
      { action: 'console.link', actor },
    ]);
    for (const secret of [code, token, key.secret]) expect(JSON.stringify(entries)).not.toContain(secret);
    expect(await (await management.call('/api/v1/audit/verify')).json()).toMatchObject({ valid: true });
  });
});

describe('signing in', () => {
  test.each([
    [{}, /^body: must hold api_key or code/],
    [{ api_key: '' }, /^api_key: must not be empty/],
    [{ api_key: 'x'.repeat(600) }, /^api_key: must have at most 512/],
    [{ api_key: bootstrapKey, code: 'x' }, /^body: must hold/],
    [[], /^body: must hold/],
  ])('with %j is refused', async (body, error) => {
    const answer = await new BrowserCalls(management).signIn(body as { code: string });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
  });

  test('reads no more than a few kilobytes', async () => {
    expect((await new BrowserCalls(management).signIn({ api_key: 'x'.repeat(5_000) })).status).toBe(413);
  });

  test('that fails is throttled with failed keys; a valid key still signs in', async () => {
    await using throttled = await startTestManagement();
    const statuses = new Set<number>();
    for (let at = 0; at < 110; at += 1)
      statuses.add(
        (await new BrowserCalls(throttled).signIn(at % 2 ? { api_key: `agm_${at}` } : { code: `agl_${at}` })).status,
      );
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await new BrowserCalls(throttled).signIn({ api_key: bootstrapKey })).status).toBe(200);
    const stale = await send(throttled, {
      path: '/api/v1/agents',
      headers: { cookie: `agp_console=${'x'.repeat(43)}` },
    });
    expect(stale.status).toBe(429);
  });
});
