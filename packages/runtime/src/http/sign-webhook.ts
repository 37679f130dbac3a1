import { createHmac } from 'node:crypto';

const sign = (secret: string, text: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(text)
    .digest('base64')}`;

/**
 * The headers of a message by Standard Webhooks 1.0 (https://www.standardwebhooks.com), signed now by each secret.
 * @param id without a full stop, which separates what is signed
 * @param secrets `whsec_` and Base64; several while one replaces another
 */
export function signWebhook(id: string, body: string, secrets: readonly string[]): Record<string, string> {
  const seconds = `${Math.floor(Date.now() / 1_000)}`;
  const signature = secrets.map((secret) => sign(secret, `${id}.${seconds}.${body}`)).join(' ');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature };
}
