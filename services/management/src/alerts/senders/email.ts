import type { Target } from '@agp/notifications';
import { TimeoutError, withTimeout } from '@agp/runtime';
import { createTransport } from 'nodemailer';
import { exchangeMs } from '../../limits.ts';
import type { Message } from './message.ts';
import { failed, type Outcome } from './post.ts';

interface MailSettings {
  smtpUrl?: string | undefined;
  smtpFrom: string;
}

/** A test has no thread. */
const threadOf = ({ occasion, alert }: Message, domain: string) =>
  occasion === 'test' ? {} : { references: `<${alert.id}@${domain}>`, inReplyTo: `<${alert.id}@${domain}>` };

/** Sends mails by the operator's server, as its URL is at this moment; null without one. */
export function createMailer(settings: Readonly<MailSettings>) {
  if (settings.smtpUrl === undefined) return null;
  const { smtpFrom } = settings;
  const limits = { connectionTimeout: exchangeMs, greetingTimeout: exchangeMs, socketTimeout: exchangeMs };
  const open = (url: string | undefined) => ({
    url,
    transport: createTransport({
      ...{ url, ...limits, dnsTimeout: exchangeMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    }),
  });
  let opened = open(settings.smtpUrl);
  const domain = /@([\w.-]+)>?$/.exec(smtpFrom)?.[1] ?? 'localhost';
  return (to: readonly string[], message: Message) => {
    if (opened.url !== settings.smtpUrl) opened = open(settings.smtpUrl);
    return opened.transport.sendMail({
      ...{ from: smtpFrom, to: [...to], subject: message.first },
      text: [message.first, ...message.rest, ...(message.link === null ? [] : ['', message.link])].join('\n'),
      ...{ messageId: `<${message.id}@${domain}>`, ...threadOf(message, domain) },
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  };
}

export type Mailer = ReturnType<typeof createMailer>;

/** Never rejects. Delivered once the server has taken it for one of the people. */
export async function sendMail({ to }: Target<'email'>, message: Message, mailer: Mailer): Promise<Outcome> {
  if (mailer === null) return failed('SMTP_URL is not set');
  try {
    const { rejected } = await withTimeout(mailer(to, message), exchangeMs, `no answer within ${exchangeMs / 1_000} s`);
    const error = rejected.length === 0 ? null : `the mail server did not take it for ${rejected.join(', ')}`;
    return { ...failed(''), delivered: true, error };
  } catch (error) {
    return failed(error instanceof TimeoutError ? error.message : `mail server: ${(error as Error).message}`);
  }
}
