import { createHash, randomUUIDv7 } from 'node:crypto';
import type { Lineage } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

const whole = 'As it was written.';

inBrowser('chains, checked by the browser itself', () => {
  const { show, send, system } = useConsole();

  /** A session with some turns, once they are recorded. */
  async function makeSession(name: string, turns: number): Promise<string> {
    let id = '';
    for (let turn = 0; turn < turns; turn += 1) {
      const answer = await send(name, {}, { 'x-session-id': `session of ${name}` });
      id = answer.headers.get('x-session-id') ?? '';
    }
    const read = () => system().api<Lineage>(`/api/v1/lineage/${id}`);
    await expect.poll(async () => (await read()).entries.length).toBe(turns);
    return id;
  }

  test('of a session: every hash is computed here, after the head was read', async () => {
    const id = await makeSession('verified', 3);
    const { page, faults } = await show('/');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await show(`/sessions/${id}`);
    await page.getByText(whole).waitFor();
    await page.getByText('This browser computed 3 hashes').waitFor();
    const { entries } = await system().api<Lineage>(`/api/v1/lineage/${id}`);
    await page.getByText(entries[2]?.lineage_hash ?? '', { exact: true }).waitFor();
    await page.getByText('Each step').click();
    for (const { event_id } of entries) await page.locator('.chain-steps').getByTitle(event_id).waitFor();
    const chain = `/api/v1/lineage/${id}`;
    expect(asked.filter((path) => path.startsWith(chain))).toEqual([`${chain}/verify`, chain, `${chain}/removed`]);
    expect(faults).toEqual([]);
  });

  test('of a session that somebody changed: the page shows where it breaks, whatever was made to fit', async () => {
    const id = await makeSession('tampered', 3);
    const { pool } = system().database;
    const { rows } = await pool.query<{ payload: string; previous: string }>(
      `SELECT payload, (SELECT lineage_hash FROM events AS before WHERE before.session_id = $1 AND before.seq = 0) AS previous
       FROM events WHERE session_id = $1 AND seq = 1`,
      [id],
    );
    const payload = (rows[0]?.payload ?? '').replace(/"cost_usd":[^,]+/, '"cost_usd":0');
    const hash = `sha256:${createHash('sha256')
      .update((rows[0]?.previous ?? '') + payload)
      .digest('hex')}`;
    // The forger gives the changed event a hash that fits: then the next one's does not.
    await pool.query(
      'UPDATE events SET payload = $2, cost_usd = 0, lineage_hash = $3 WHERE session_id = $1 AND seq = 1',
      [...[id, payload, hash]],
    );
    const { page, faults } = await show('/');
    // A server that says yes is not believed.
    await page.route('**/verify', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), valid: true } });
    });
    await show(`/sessions/${id}`);
    await page.getByText('The chain breaks at number 2').waitFor();
    const steps = page.locator('.chain-steps > li');
    await expect.poll(() => steps.count()).toBe(3);
    expect(await steps.nth(2).getAttribute('data-fault')).toBe('true');
    expect(await page.getByText(whole).count()).toBe(0);
    // What the list shows must be what the chain has, too.
    await pool.query('UPDATE events SET payload = $2 WHERE session_id = $1 AND seq = 1', [id, rows[0]?.payload]);
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByText('The chain breaks at number 1').waitFor();
    await page.unroute('**/verify');
    expect(faults).toEqual([]);
  });

  test('of a session whose last events somebody deleted: it is cut off there', async () => {
    const id = await makeSession('cut', 4);
    const { page, faults } = await show(`/sessions/${id}`);
    await page.getByText(whole).waitFor();
    await system().database.pool.query('DELETE FROM events WHERE session_id = $1 AND seq >= 2', [id]);
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByText('The chain breaks at number 2: it was cut off here').waitFor();
    expect(await page.getByText(whole).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('of the audit log: whole, cut off where the last entries were deleted, and broken where one was changed', async () => {
    const { page, faults } = await show('/audit');
    await page.getByRole('heading', { name: 'Not verified yet' }).waitFor();
    await page.getByRole('button', { name: 'Verify the whole log' }).click();
    await page.getByText(whole).waitFor();
    await page.getByRole('heading', { name: 'Verified in this browser', exact: true }).waitFor();
    const { pool } = system().database;
    const cut = await pool.query<{ seq: string }>(
      'DELETE FROM audit_log WHERE seq >= (SELECT max(seq) - 1 FROM audit_log) RETURNING seq',
    );
    const first = Math.min(...cut.rows.map(({ seq }) => Number(seq)));
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByText(`The chain breaks at number ${first}: it was cut off here`).waitFor();
    await page.getByRole('heading', { name: 'not as it was written' }).waitFor();
    expect(await page.getByText(whole).count()).toBe(0);
    await system().database.pool.query(
      `UPDATE audit_log SET payload = replace(payload, '"v":', '"v": ') WHERE seq = 0`,
    );
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByText('The chain breaks at number 0').waitFor();
    await show('/');
    await page.getByRole('button', { name: 'Check the audit log' }).click();
    await page.getByText('The chain breaks at number 0').waitFor();
    expect(faults).toEqual([]);
  });

  test('of a session whose turns retention removed: nothing is said to be as it was written', async () => {
    const id = await makeSession('old', 3);
    const remove = (below: number) =>
      system().database.pool.query(
        `WITH gone AS (DELETE FROM events WHERE session_id = $1 AND seq < $2 RETURNING session_id, seq, lineage_hash)
         INSERT INTO lineage_anchors (removal, session_id, first_seq, last_seq, lineage_hash)
         SELECT $3, session_id, (SELECT min(seq) FROM gone), seq, lineage_hash FROM gone ORDER BY seq DESC LIMIT 1`,
        [id, below, randomUUIDv7()],
      );
    await remove(2);
    const { page, faults } = await show(`/sessions/${id}`);
    await page.getByText('As it was written, as far as it is kept.').waitFor();
    await page
      .getByText(/^1 turn, oldest first; 2 removed for their age on .+, only their last hash is left$/)
      .waitFor();
    await remove(3);
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByRole('heading', { name: 'Nothing is left to verify' }).waitFor();
    await page.locator('.banner[data-tone=plain]').getByText('3 events removed for their age.').waitFor();
    expect(await page.getByText('As it was written').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
