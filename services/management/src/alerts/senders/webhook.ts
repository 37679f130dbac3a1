import type { Target } from '@agp/alerts';
import { signWebhook } from '@agp/runtime';
import { writeJson } from '../../presenters.ts';
import type { Message } from './message.ts';
import type { Post } from './post.ts';

/** With what the secret was before, and until when it signs too, in milliseconds since 1970. */
export type SignedTarget = Target<'webhook'> & { previous?: string; previous_until?: string };

/** Signed as Standard Webhooks. */
export function writeWebhook({ url, secret, previous, previous_until }: SignedTarget, message: Message): Post[] {
  const { id, occasion, at, link, links } = message;
  const isReport = occasion === 'report';
  const body = writeJson({
    type: isReport ? 'costs.monthly' : `alert.${occasion}`,
    timestamp: at,
    data: isReport
      ? { title: message.first, ...message.report, link }
      : { ...message.alert, link, block_link: links[1]?.url ?? null },
  });
  const secrets = [secret, Number(previous_until) > Date.now() && previous].filter((each) => typeof each === 'string');
  return [{ url, headers: signWebhook(id, body, secrets), body }];
}
