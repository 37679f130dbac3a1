import { startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { announce, subscribeToAnnouncements } from './announcements.ts';
import { connectBus } from './connect.ts';
import { announcementSubject } from './streams.ts';

test('a missing announcement is a gap, as is one that cannot be read; of what nobody wants only gaps are heard', async () => {
  await using stack = await startTestStack({ nats: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'agp-test' });
  const heard: unknown[] = [];
  let isWanted = true;
  subscribeToAnnouncements(
    connection,
    ({ announcer_seq }) => heard.push(announcer_seq),
    () => heard.push('gap'),
    () => isWanted,
  );
  const say = async (...numbers: number[]) => {
    for (const announcer_seq of numbers) await announce(connection, { announcer: 'a', announcer_seq, events: [] });
  };
  const garble = async () => {
    connection.publish(announcementSubject, new TextEncoder().encode('{'));
    await connection.flush();
  };
  await say(4, 5, 7);
  await garble();
  isWanted = false;
  await say(8, 9, 11);
  await garble();
  isWanted = true;
  await say(12, 13, 15);
  expect(heard).toEqual([4, 5, 'gap', 7, 'gap', 'gap', 'gap', 12, 13, 'gap', 15]);
  await connection.close();
});
