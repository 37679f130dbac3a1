import type { AgentOverview } from '@agp/core/contracts';
import type { StoredIdentity } from '@agp/identities';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { dialog } from './support/by-keyboard.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('identities in the console', () => {
  const { show, send, system } = useConsole();
  const list = () => system().api<StoredIdentity[]>('/api/v1/identities');

  test('are written in YAML, tried with a token, changed, and shown on the agent that is one', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = JSON.stringify({ ...(await exportJWK(publicKey)), alg: 'ES256' });
    const text = (agent: string) =>
      `name: ci # builds\nissuer: https://ci.test\naudiences: [agp]\nkeys: { jwks: { keys: [${key}] } }\n` +
      `rules:\n  - { name: main, match: { ref: [main] }, agent: "${agent}", labels: { team: build } }\n`;
    const sign = (claims: object) =>
      new SignJWT({ iss: 'https://ci.test', aud: 'agp', sub: 'nightly', ...claims })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('10m')
        .sign(privateKey);
    const { page, faults } = await show('/identities');
    await page.getByRole('heading', { name: 'No identity yet' }).waitFor();
    await page.getByRole('button', { name: 'New identity' }).click();
    const yaml = dialog(page).getByLabel('The issuer in YAML');
    const make = dialog(page).getByRole('button', { name: 'Make', exact: true });
    await yaml.fill(text('{sub').replace('name: ci', 'name: Ci'));
    await dialog(page)
      .getByText(/^Line 1: name: must be up to/)
      .waitFor();
    expect(await make.isDisabled()).toBe(true);
    await yaml.fill(text('ci.{sub}'));
    expect(await listBarriers(page, '[role=dialog]')).toEqual([]);
    await make.click();
    await page.getByText('ci holds from the next request on.').waitFor();
    expect(await list()).toMatchObject([{ version: 1, text: text('ci.{sub}') }]);

    const attempt = async (token: string) => {
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByRole('button', { name: 'Try it' }).click();
    };
    await attempt(await sign({ ref: 'hidden' }));
    await page.getByText('It would be refused: no rule of ci holds: main: claim ref does not match').waitFor();
    await attempt(await sign({ ref: 'main' }));
    await page.getByText('It would be let in.').waitFor();
    await page.getByText('team=build').waitFor();
    expect(await page.getByText('hidden').count()).toBe(0);

    await page.getByRole('button', { name: 'Change ci' }).click();
    expect(await yaml.inputValue()).toContain('# builds');
    await yaml.fill(text('build.{sub}'));
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('cell', { name: 'main: build.{sub}' }).waitFor();

    const id = (await send('worker')).headers.get('x-agent-id') ?? '';
    const body = JSON.stringify({ identity: 'ci', name: 'build.nightly' });
    await system().api(`/api/v1/agents/${id}/adopt`, { method: 'POST', body });
    expect((await system().api<AgentOverview>(`/api/v1/agents/${id}/overview`)).identity).not.toBeNull();
    await show(`/agents/${id}`);
    await page.getByText('belongs to ci as build.nightly').waitFor();
    await show('/identities');
    await attempt(await sign({ ref: 'main' }));
    expect(await page.getByRole('link', { name: 'build.nightly' }).getAttribute('href')).toBe(`/agents/${id}`);
    await page.getByRole('button', { name: 'Delete ci' }).click();
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No identity yet' }).waitFor();
    await show('/keys?view=names');
    await page.getByRole('row', { name: /build\.nightly.*an issuer that is gone/ }).waitFor();
    expect(faults).toEqual([]);
  });
});
