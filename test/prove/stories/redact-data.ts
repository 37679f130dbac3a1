import { createHash } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { answerCanned, cannedAnswer, type FakeReply, type Handler } from '@agp/testing/providers';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { sentences } from '../../policies/data-texts.ts';
import { type Kind, kinds } from '../../recording/reconciliation/kinds.ts';
import { chargeTokens } from '../../recording/reconciliation/list-prices.ts';
import { callHeader } from '../../recording/reconciliation/simulate-provider.ts';
import type { ProcessSystem } from '../../system/start-processes.ts';
import { waitFor } from '../../system/start-system.ts';
import { type Report, type Story, unreported } from '../story.ts';
import { withSystem } from '../with-system.ts';

interface Call {
  id: string;
  kind: Kind;
  model: string;
  text: string;
  values: readonly string[];
  isLeft: boolean;
}

const writing = kinds.filter(({ writes }) => writes);
/** What is no value in one sentence may be one in another. */
const telling = sentences.filter(({ values }) => values.length > 0);

/** One in ten leaves its stream, which is longer than what is held back; an array is held until it is whole. */
function planCall(index: number): Call {
  const isLeft = index % 10 === 0;
  const candidates = isLeft ? writing.filter(({ streams, name }) => streams && !name.includes('array')) : writing;
  const kind = candidates[Math.floor(index / 10 + index) % candidates.length] as Kind;
  const count = isLeft ? 40 : index % 4;
  const said = Array.from({ length: count }, (_, at) => telling[(index + at * 31) % telling.length]);
  const text = `Say: Call ${index}. ${said.map((each) => each?.text).join('')}That is all.`;
  const values = said.flatMap((each) => each?.values ?? []);
  return { id: `call-${index}`, kind, model: kind.models[index % kind.models.length] as string, text, values, isLeft };
}

const findSaid = (value: unknown): string[] =>
  typeof value === 'string'
    ? value.startsWith('Say: ')
      ? [value.slice(5)]
      : []
    : Object.values((value as object | null) ?? {}).flatMap(findSaid);

/** Bills each call by its length, and says what it is told to. */
const toAnswer = ({ text, model, isLeft }: Call, said: string) => ({
  ...{ ...cannedAnswer, model, input: 20 + text.length, output: 7 + (text.length % 50) },
  words: said.match(isLeft ? /.{1,40}/gsu : /.{1,7}/gsu) ?? [],
});

/** The texts of an answer, whatever its form, as one. */
function joinTexts(body: string): string {
  const found = body.matchAll(/"(?:content|text|delta)":\s?("(?:[^"\\]|\\.)*")/g);
  return [...found].map(([, text = '""']) => JSON.parse(text) as string).join('');
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

interface Seen {
  eventId: string;
  status: number;
  answer: string | null;
}

/** Calls with redaction through all proxies: what was sent, billed and restored is what is recorded and read. */
async function redactData(system: ProcessSystem, handle: (handler: Handler) => void, count: number, report: Report) {
  const calls = Array.from({ length: count }, (_, index) => planCall(index));
  const byId = new Map(calls.map((call) => [call.id, call]));
  const received = new Map<string, Buffer>();
  handle(async (given, index): Promise<FakeReply> => {
    const call = byId.get(String(given.headers[callHeader])) as Call;
    received.set(call.id, given.body);
    const [said = ''] = findSaid(JSON.parse(given.body.toString()));
    const reply = await answerCanned(toAnswer(call, said))(given, index);
    return call.isLeft ? { ...reply, body: { steps: slowly((reply.body as { steps: string[] }).steps) } } : reply;
  });
  const pii = { request: { all: 'redact' }, restore: true };
  await system.api('/api/v1/policies', {
    method: 'POST',
    body: JSON.stringify({ name: 'data', mode: 'enforce', pii }),
  });

  const dispatcher = new Agent({ connections: 64 });
  const seen = new Map<string, Seen>();
  const ask = async (call: Call, index: number): Promise<void> => {
    const { statusCode, headers, body } = await request(
      `${system.proxies[index % system.proxies.length]?.url}${call.kind.path(call.model)}`,
      {
        ...{ dispatcher, method: 'POST', body: JSON.stringify(call.kind.body(call.model, call.text)) },
        headers: {
          'content-type': 'application/json',
          'x-agent-name': `redacted-${index % 7}`,
          'x-session-id': `data-${Math.floor(index / 70)}-${index % 7}`,
          [callHeader]: call.id,
        },
      },
    );
    // The machine was too busy to read a status in time; nothing has reached the provider.
    if (statusCode === 503) {
      await body.dump();
      return ask(call, index);
    }
    const eventId = String(headers['x-event-id']);
    seen.set(call.id, { eventId, status: statusCode, answer: null });
    // Leaving the loop breaks the connection.
    if (call.isLeft) for await (const _ of body) return;
    seen.set(call.id, { eventId, status: statusCode, answer: await body.text() });
  };
  const entries = calls.entries();
  const work = async () => {
    for (const [index, call] of entries) await ask(call, index);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: 32 }, work));
  const seconds = (performance.now() - from) / 1_000;
  await dispatcher.close();

  const events = await waitFor('every event', async () => {
    const { rows } = await system.database.pool.query<{ id: string; payload: string }>(
      'SELECT id, payload FROM events',
    );
    return rows.length >= count && new Map(rows.map(({ id, payload }) => [toPublicId('evt', id), JSON.parse(payload)]));
  });
  const off = { status: [], digest: [], value: [], bill: [], answer: [], 'a tenth left': [] } as Record<
    string,
    unknown[]
  >;
  let [changed, restored, billed] = [0, 0, 0];
  for (const call of calls) {
    const { id, text, values, isLeft, kind, model } = call;
    const { eventId, status, answer } = seen.get(id) as Seen;
    const { forwarded_sha256: digest, cost_usd: cost, outcome } = events.get(eventId) ?? {};
    const bytes = received.get(id) ?? Buffer.alloc(0);
    const body = bytes.toString();
    if (status !== 200) off.status?.push([id, status]);
    const isChanged = values.length > 0;
    if (digest !== (isChanged ? hash(bytes) : null)) off.digest?.push([id, kind.name, digest]);
    if (isChanged) changed += 1;
    const [said = ''] = findSaid(JSON.parse(body || '{}'));
    if (values.some((value) => said.includes(value) || body.includes(JSON.stringify(value).slice(1, -1))))
      off.value?.push([id, said]);
    if (isLeft) {
      if (outcome !== 'aborted' || !(cost > 0)) off['a tenth left']?.push([id, outcome, cost]);
      continue;
    }
    const wanted = toAnswer(call, text.slice(5));
    const nano = chargeTokens(model, wanted);
    billed += nano;
    if (Math.round(cost * 1e9) !== nano) off.bill?.push([id, cost, nano]);
    const got = kind.streams ? joinTexts(answer ?? '') : answer;
    const direct = await answerCanned(wanted)({ target: kind.path(model), body: bytes } as never, 0);
    const isSame = kind.streams ? got?.includes(text.slice(5)) : got === JSON.stringify(direct.body);
    if (isSame) restored += 1;
    else off.answer?.push([id, kind.name, got]);
  }
  report({
    ...{ calls: count, changed, left: calls.filter(({ isLeft }) => isLeft).length },
    ...{ 'answers as without a policy': restored, 'billed and recorded': `${(billed / 1e9).toFixed(9)} USD` },
    'a second': Math.round(count / seconds),
  });
  for (const [what, those] of Object.entries(off)) expect(those.slice(0, 5), what).toEqual([]);
}

async function* slowly(frames: readonly string[]) {
  for (const frame of frames) yield* [frame, { pauseMs: 30 }];
  // The last frames would complete a call that a starved agent had no time to leave.
  yield { cut: true as const };
}

export const dataStory = (isShort: boolean): Story => ({
  name: 'data',
  promise:
    'Of 10,000 calls with redaction through three proxies no value reaches the provider, digests and bills are right, and answers are as without a policy.',
  run: (report = unreported) =>
    withSystem(answerCanned(), { proxies: 3 }, (system, provider) =>
      redactData(system, (handler) => provider.handle(handler), isShort ? 300 : 10_000, report),
    ),
});
