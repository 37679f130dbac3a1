import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { policySchema } from '@agp/policy';
import { direct } from '@agp/runtime/egress';
import { findFreePort, waitFor } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createChecks } from './checks.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const adapter = new URL('../../../../docs/checks/presidio-adapter.mjs', import.meta.url).pathname;
const call = {
  ...({ direction: 'request', eventId: 'evt_1', agent: 'a', agentId: 'agt_1', sessionId: 'ses_1' } as const),
  ...{ provider: 'openai', model: null, tag: '' },
};

/** Python's places: of characters. */
const find = (text: string, type: string, pattern: RegExp, score: number) =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => {
    const start = [...text.slice(0, index)].length;
    return { entity_type: type, start, end: start + [...found].length, score, analysis_explanation: null };
  });

/** Presidio's analyzer as its API answers, overlaps and all. */
async function startPresidio(): Promise<string> {
  const analyze = async (request: IncomingMessage) => {
    const { text, language } = (await json(request)) as { text: string; language: string };
    if (request.url !== '/analyze' || !text.trim() || language !== 'en') throw new Error('No text provided');
    return [
      ...find(text, 'URL', /\w+\.example/g, 0.5),
      ...find(text, 'EMAIL_ADDRESS', /\w+@\w+\.example/g, 1),
      ...find(text, 'PERSON', /Zoë\p{Emoji}?/gu, 0.85),
    ];
  };
  const server = createServer((request, response) => {
    void analyze(request)
      .then((found) => response.end(JSON.stringify(found)))
      .catch(() => response.writeHead(500).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => server.closeAllConnections() ?? void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("Presidio's findings replace what they name, whatever characters stand before them", async () => {
  const port = await findFreePort();
  const child = spawn(process.execPath, [adapter], {
    env: { CHECK_SECRET: secret, PRESIDIO_URL: await startPresidio(), PORT: `${port}` },
    stdio: 'inherit',
  });
  onTestFinished(() => void child.kill());
  const host = `127.0.0.1:${port}`;
  const start = (key: string) => {
    const errors: string[] = [];
    const checks = createChecks({
      ...{ readSecrets: () => [key], allowedHosts: [host], egress: direct, onResult: () => {} },
      onFailure: ({ error }) => errors.push(error),
    });
    onTestFinished(() => checks.stop());
    return { ...checks, errors };
  };
  await waitFor('the adapter', () => fetch(`http://${host}`, { method: 'POST' }).catch(() => false as const));
  const policy = policySchema.parse({ name: 'bank', check: { url: `http://${host}/`, timeout_ms: 10_000 } });
  const texts = ['😀😀 Zoë😀 writes to a@b.example', '   ', 'nothing', '𝒵 see b.example'].map((text, id) => ({
    id,
    text,
  }));
  const ours = start(secret);
  const { verdict, replacements } = await ours.ask(policy, call, texts);
  expect(ours.errors).toEqual([]);
  expect(verdict).toMatchObject({ action: 'redact', found: { person: 1, email_address: 1, url: 1 } });
  const redacted = texts.map(({ id, text }) =>
    replacements
      .filter((each) => each.id === id)
      .reduceRight((rest, { start, end, text: put }) => rest.slice(0, start) + put + rest.slice(end), text),
  );
  expect(redacted).toEqual(['😀😀 [person] writes to [email_address]', '   ', 'nothing', '𝒵 see [url]']);
  expect((await ours.ask(policy, call, texts.slice(1, 3))).verdict.action).toBe('allow');
  const forged = start(`whsec_${Buffer.alloc(32, 2).toString('base64')}`);
  expect((await forged.ask(policy, call, texts)).verdict.hasFailed).toBe(true);
  expect(forged.errors).toEqual(['HTTP 401']);
});
