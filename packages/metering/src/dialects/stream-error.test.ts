import { ApiError, errorTable } from '@agp/core/errors';
import { answerCanned, type FakeReply, type Handler, type Step, startFakeProvider } from '@agp/testing/providers';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  errorClasses,
  openStream,
  type StreamKind,
  streamKinds,
} from '../../../../test/control/support/running-streams.ts';
import { dialects, matchOperation } from '../match-operation.ts';
import type { ProviderApi } from './operation.ts';

const blocked = new ApiError('agent_blocked');
const apis: Record<StreamKind, ProviderApi> = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
};

const stepsOf = ({ body }: FakeReply) => [...(body as { steps: Iterable<Step> }).steps].map(String);

/** The first frames of a stream, the last of them cut after so many characters, and then the error. */
function endingEarly(kind: StreamKind, cutAt: number): Handler {
  return async (received, index) => {
    const reply = await answerCanned()(received, index);
    const frames = stepsOf(reply).slice(0, 4);
    const [path = ''] = received.target.split('?');
    const operation = matchOperation(apis[kind], 'POST', path.replace(/^\/\w+/, ''));
    expect(operation).not.toBeNull();
    const error = dialects[apis[kind]].formatStreamError(blocked, operation, false);
    const whole = frames.pop() ?? '';
    return { ...reply, body: { steps: [frames.join(''), { pauseMs: 20 }, whole.slice(0, cutAt) + error] } };
  };
}

test.each(streamKinds)(
  'the official client of %s raises the error that ends a stream as one of its provider',
  async (kind) => {
    await using provider = await startFakeProvider(endingEarly(kind, Number.POSITIVE_INFINITY));
    const { error, pieces } = await openStream(kind, provider.url, {}).ended;
    expect(pieces).toBeGreaterThan(0);
    expect(error).toBeInstanceOf(errorClasses[kind]);
    expect(String(error)).toContain(errorTable.agent_blocked.message);
  },
);

test.each(streamKinds)(
  'a stream of %s that is ended in the middle of a frame is an error, too, and never looks whole',
  async (kind) => {
    // Clients print what they cannot parse.
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    for (const cutAt of [3, 9, 30, 60]) {
      await using provider = await startFakeProvider(endingEarly(kind, cutAt));
      const opened = openStream(kind, provider.url, {});
      await opened.started;
      expect((await opened.ended).error, `cut at ${cutAt}`).toBeInstanceOf(Error);
    }
  },
);

test('an array of frames stays JSON, with the error as its last element', async () => {
  const operation = matchOperation('gemini', 'POST', '/v1beta/models/gemini-2.5-flash:streamGenerateContent');
  const text = `[{"candidates":[]}${dialects.gemini.formatStreamError(new ApiError('paused'), operation, true)}`;
  expect(JSON.parse(text)).toEqual([
    { candidates: [] },
    { error: { code: 503, message: errorTable.paused.message, status: 'UNAVAILABLE' } },
  ]);
});
