import { randomUUID } from 'node:crypto';
import { connectBus, eventSubject } from '@agp/bus';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { startProcesses } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const agentName = 'an-agent-whose-name-no-log-holds';
const model = 'gpt-4o-mini-2024-07-18';
const content = 'a text that no log holds';
const chosen = [agentName, model, content, 'query-of-the-caller', 'header-of-the-caller'];

type Line = Record<string, unknown>;

/** Collects what services print. */
function collectLines() {
  let text = '';
  return {
    onOutput: (more: string) => {
      text += more;
    },
    text: () => text,
    find: (fields: Line): Line[] =>
      text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line)
        .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value)),
  };
}

async function startLogged(level: string) {
  const lines = collectLines();
  await using started = new AsyncDisposableStack();
  const provider = started.use(await startFakeProvider(answerCanned()));
  const gone = await startFakeProvider(() => ({}));
  await gone.stop();
  const system = started.use(
    await startProcesses({
      within: ['proxy', 'writer', 'management'],
      onOutput: lines.onOutput,
      environment: { LOG_LEVEL: level, PROVIDER_OPENAI_URL: provider.url, PROVIDER_GONE_URL: gone.url },
    }),
  );
  const send = async (id: string, { stream = false } = {}) => {
    const sessionId = `ses_${randomUUID()}`;
    const answer = await fetch(`${system.proxies[0]?.url}/${id}/v1/chat/completions?query-of-the-caller=1`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-agent-name': agentName,
        'x-session-id': sessionId,
        'x-of-caller': 'header-of-the-caller',
        traceparent,
      },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
    });
    return { answer, sessionId, eventId: answer.headers.get('x-event-id'), agentId: answer.headers.get('x-agent-id') };
  };
  const setStatus = (id: string | null, status: string) =>
    system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status }) });
  const running = started.move();
  return { lines, provider, system, send, setStatus, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

test('failed and killed requests, messages set aside and changes are a line each; what goes well and what agents may not is none', async () => {
  await using logged = await startLogged('info');
  const { lines, provider, system, send, setStatus } = logged;
  const well = await send('openai');
  await well.answer.text();
  await send('nowhere');
  const failed = await send('gone');
  expect(failed.answer.status).toBe(502);
  const [line, ...more] = await waitFor('the line', () => {
    const found = lines.find({ event_id: failed.eventId, service: 'proxy' });
    return found.length > 0 && found;
  });
  expect(more).toEqual([]);
  expect(line).toMatchObject({
    level: 'warn',
    agent_id: failed.agentId,
    session_id: failed.sessionId,
    provider: 'gone',
    status: 502,
    outcome: 'failed',
    code: 'provider_unreachable',
    trace_id: traceId,
    duration_ms: expect.any(Number),
  });

  provider.handle(answerCanned({ words: Array.from({ length: 300 }, () => ' word'), pauseMs: 50 }));
  const killed = await send('openai', { stream: true });
  const reader = killed.answer.body?.getReader();
  await reader?.read();
  await setStatus(killed.agentId, 'blocked');
  while ((await reader?.read())?.done === false);
  expect(await waitFor('the line', () => lines.find({ event_id: killed.eventId })[0])).toMatchObject({
    level: 'info',
    outcome: 'killed',
    status: 200,
    agent_id: killed.agentId,
  });
  const change = { service: 'management', method: 'PUT', route: '/api/v1/agents/{id}', status: 200 };
  const [changed] = await waitFor('the change', () => {
    const found = lines.find(change);
    return found.length > 0 && found;
  });
  expect(changed?.key_id).toMatch(/^key_/);
  expect((await send('openai')).answer.status).toBe(403);
  expect(lines.find({ event_id: well.eventId })).toEqual([]);
  expect(lines.find({ code: 'agent_blocked' })).toEqual([]);
  expect(lines.find({ code: 'unknown_provider' })).toEqual([]);

  const bus = await connectBus({ url: system.stack.natsUrl, name: 'test', onStatus: () => {} });
  bus.publish(eventSubject, new TextEncoder().encode(JSON.stringify({ id: well.eventId, text: content })));
  await bus.flush();
  await waitFor('the message set aside', () => lines.find({ service: 'writer', event_id: well.eventId })[0]);
  await bus.close();
  for (const text of chosen) expect(lines.text()).not.toContain(text);
});

test('at debug each request is one line, refused ones too, without what callers chose', async () => {
  await using logged = await startLogged('debug');
  const { lines, send } = logged;
  const well = await send('openai');
  await well.answer.text();
  expect(await waitFor('the line', () => lines.find({ event_id: well.eventId })[0])).toMatchObject({
    level: 'debug',
    status: 200,
    outcome: 'completed',
    provider: 'openai',
  });
  await send('nowhere');
  await waitFor('the refusal', () => lines.find({ code: 'unknown_provider', status: 404, trace_id: traceId })[0]);
  expect(lines.find({ service: 'proxy', level: 'debug' })).toHaveLength(2);
  for (const text of chosen) expect(lines.text()).not.toContain(text);
});
