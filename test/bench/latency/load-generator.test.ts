import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { makeRandom } from '../../soak/make-random.ts';
import { startPinned } from '../processes.ts';
import { drawMoments, type Slice, type SliceTimes } from './load.ts';

const load = { perSecond: 200, seconds: 0.5, seed: 7 };

test('a seed gives the same moments each time, as many as the rate says', () => {
  const draw = (seed: number) => drawMoments({ perSecond: 200, seconds: 50 }, makeRandom(seed));
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  // 10,000, and at most six standard deviations from that.
  expect(Math.abs(draw(1).length - 10_000)).toBeLessThan(600);
  expect(draw(1)).toEqual(draw(1).toSorted((a, b) => a - b));
});

test('each request is sent while others are unanswered, and timed from its moment; one that fails is told', async () => {
  const moments = drawMoments(load, makeRandom(load.seed));
  const held: (() => void)[] = [];
  const answer = (status: number, end: (text: string) => void) => (status === 200 ? end('fine') : end('no'));
  let refused = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      // The third is refused; all others wait for the last.
      const status = held.length === 2 && refused++ === 0 ? 500 : 200;
      response.statusCode = status;
      const end = () => answer(status, (text) => response.end(text));
      if (status === 500) return end();
      held.push(end);
      if (held.length === moments.length - 1) for (const each of held) each();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { child } = await startPinned(`${import.meta.dirname}/load-generator.ts`, {}, null);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  child.send({ ...load, urls: [url], headers: {}, body: '{}', agents: 3 } satisfies Slice);
  const [times] = (await once(child, 'message')) as [SliceTimes];
  expect(times.failures).toEqual(['status 500']);
  expect(times.whole).toHaveLength(moments.length - 1);
  expect(times.late).toHaveLength(moments.length);
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  // The first was answered after the last was sent.
  expect(Math.max(...times.whole)).toBeGreaterThan(last - first);
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
  server.close();
});
