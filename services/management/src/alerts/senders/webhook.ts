import { createHmac } from 'node:crypto';
import type { Target } from '@agp/notifications';
import { writeJson } from '../../presenters.ts';
import type { Message } from './message.ts';
import type { Post } from './post.ts';

/** With what the secret was before, and until when it signs too, in milliseconds since 1970. */
export type SignedTarget = Target<'webhook'> & { previous?: string; previous_until?: string };

const sign = (secret: string, text: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(text)
    .digest('base64')}`;

/** Standard Webhooks 1.0: https://www.standardwebhooks.com */
export function writeWebhook({ url, secret, previous, previous_until }: SignedTarget, message: Message): Post[] {
  const { id, occasion, at, alert, link } = message;
  const body = writeJson({ type: `alert.${occasion}`, timestamp: at, data: { ...alert, link } });
  const now = Date.now();
  const seconds = `${Math.floor(now / 1_000)}`;
  const secrets = [secret, Number(previous_until) > now && previous].filter((each) => typeof each === 'string');
  const signature = secrets.map((each) => sign(each, `${id}.${seconds}.${body}`)).join(' ');
  const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature };
  return [{ url, headers, body }];
}
