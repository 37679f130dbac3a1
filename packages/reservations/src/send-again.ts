import type { Redis } from 'ioredis';

/** How long after the loss of a connection its calls wait for the next one, in milliseconds. */
const backWithinMs = 500;

/** One for each connection. */
const made = new WeakMap<Redis, SendAgain>();

type SendAgain = <Answer>(send: () => Promise<Answer>) => Promise<Answer>;

/**
 * Sends once more what a lost connection left unanswered, if there is another at once: Redis before 7.2 ends all of them when it reads its
 * users again. Later calls fail as soon as they are made. Only for what may be done twice.
 */
export function makeSendAgain(redis: Redis): SendAgain {
  const known = made.get(redis);
  if (known !== undefined) return known;
  const gone = Promise.resolve(false);
  let back = gone;
  let wasReady = redis.status === 'ready';
  redis.on('ready', () => {
    wasReady = true;
  });
  const lose = () => {
    if (!wasReady) return;
    wasReady = false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    back = promise;
    const onReady = () => resolve(true);
    redis.once('ready', onReady);
    setTimeout(() => {
      redis.off('ready', onReady);
      resolve(false);
      if (back === promise) back = gone;
    }, backWithinMs).unref();
  };
  redis.on('close', lose);
  const sendAgain: SendAgain = (send) =>
    send().catch(async (error: Error) => {
      // Its end is known before the client says so.
      if (!redis.stream?.writable) lose();
      if (error.name === 'ReplyError' || !(await back)) throw error;
      return send();
    });
  made.set(redis, sendAgain);
  return sendAgain;
}
