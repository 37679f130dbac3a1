import { expect, test } from 'vitest';
import { makeHead, openMetering } from '../../test/open-metering.ts';

const megabyte = 1024 * 1024;

test('held answers of one agent fill its share alone: it is refused before the provider is asked, others are not', async () => {
  const metering = openMetering();
  const open = (agentId: string) =>
    metering.open({
      head: makeHead('openai', '/v1/chat/completions'),
      holder: { agentId, source: null },
      mayBeHeld: true,
      body: null,
      reservation: { nanoUsd: 0, isCapped: false },
      claimBill: async () => true,
      findClaim: async () => null,
    });
  const answer = Buffer.from(`{"model":"m","choices":[{"message":{"content":"${'x'.repeat(15 * megabyte)}"}}]}`);
  const hold = (agentId: string) => {
    const meter = open(agentId);
    const pipe = meter.openPipe({ 'content-type': 'application/json' }, { allows: (names) => names !== null });
    const passed = pipe?.push(answer).length ?? -1;
    return { meter, pipe, passed };
  };
  const greedy = Array.from({ length: 6 }, () => hold('greedy'));
  expect(greedy.map(({ passed }) => passed)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(() => hold('greedy')).toThrow('answers of this agent that a policy holds fill its share of memory');
  const modest = hold('modest');
  expect(modest.pipe?.end().length).toBe(answer.length);
  for (const { meter } of [...greedy, modest]) meter.release();
  expect(hold('greedy').pipe?.end().length).toBe(answer.length);
  const more = Array.from({ length: 40 }, (_, at) => `agent ${at}`);
  expect(() => more.map(hold)).toThrow('proxy overloaded');
  await metering.stop();
});
