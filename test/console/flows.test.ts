import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { type ConsoleSystem, openConsole } from './support/open-console.ts';

let console: ConsoleSystem;

/** Confirms a change in its dialog, with a reason. */
async function confirm(page: Page, verb: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

const readAgent = async (name: string) => {
  const agents = await console.system.api<{ id: string; name: string; status: string }[]>('/api/v1/agents');
  return agents.find((agent) => agent.name === name);
};

/** Answers a stream that never ends by itself: a word, and a pause, again and again. */
async function* talk() {
  for (let word = 0; ; word += 1) {
    yield `data: {"id":"c","object":"chat.completion.chunk","model":"gpt-4o","choices":[{"index":0,"delta":{"content":"w${word} "}}]}\n\n`;
    yield { pauseMs: 50 };
  }
}

inBrowser('an operator', () => {
  beforeAll(async () => {
    console = await openConsole();
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  test('blocks an agent while its stream runs: the stream ends, the next request is refused, and unblocking undoes it', async () => {
    await console.send('runaway');
    const { page, context, faults } = await console.open('/agents');
    await page.getByRole('link', { name: 'runaway' }).click();
    await page.getByRole('heading', { name: 'runaway' }).waitFor();
    console.provider.handle(() => ({ headers: { 'content-type': 'text/event-stream' }, body: { steps: talk() } }));
    const stream = await fetch(`${console.system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'runaway' },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'talk' }] }),
    });
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut off',
    );
    await page.getByRole('button', { name: 'Block runaway' }).click();
    await page.getByRole('dialog').getByText('Ends 1 running request.').waitFor();
    await confirm(page, 'Block', 'spends too much');
    expect(['ended', 'cut off']).toContain(await ended);
    await page.getByRole('button', { name: 'Unblock runaway' }).waitFor();
    expect((await readAgent('runaway'))?.status).toBe('blocked');
    expect((await console.send('runaway')).status).toBe(403);
    const [entry] = await console.system.api<object[]>('/api/v1/audit?limit=1&action=agent.update');
    expect(entry).toMatchObject({ reason: 'spends too much', after: { status: 'blocked' } });
    await page.getByRole('button', { name: 'Unblock runaway' }).click();
    await confirm(page, 'Unblock', 'mended');
    await page.getByRole('button', { name: 'Block runaway' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
