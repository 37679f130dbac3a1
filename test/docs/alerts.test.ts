import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { findFreePort, waitFor } from '@agp/testing';
import { expect, test } from 'vitest';
import { exampleAlert, writeMessage } from '../../services/management/src/alerts/senders/message.ts';
import { writeWebhook } from '../../services/management/src/alerts/senders/webhook.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { readSnippets } from './read-snippets.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

test('the receiver on the page about alerts takes what is signed, each once, and nothing else', async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const snippet = readSnippets('docs/alerts.md', 'js')[0] ?? '';
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', snippet.replace('8095', `${port}, '127.0.0.1'`)],
    {
      cwd: workspaceFolder,
      env: { AGP_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const printed = text(child.stdout);
    const id = '01933a6e-7c00-7000-8000-000000000001';
    const row = exampleAlert(id, 'ours', new Date());
    const message = writeMessage({ id, occasion: 'test', row, consoleOrigin: 'https://agp.test' });
    const [post] = writeWebhook({ name: 'ours', kind: 'webhook', url, secret }, message);
    const send = async (body = post?.body ?? '') =>
      (await fetch(url, { method: 'POST', body, headers: post?.headers ?? {} })).status;
    await waitFor('the receiver', () => send('{}').catch(() => false as const));
    expect([await send(), await send(), await send(`${post?.body} `)]).toEqual([204, 204, 400]);
    child.kill();
    await once(child, 'close');
    expect(await printed).toBe('alert.test the target ours is reached https://agp.test/alerts\n');
  } finally {
    child.kill();
  }
});
