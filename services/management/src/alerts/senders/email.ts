import type { Target } from '@agp/alerts';
import { TimeoutError, withTimeout } from '@agp/runtime';
import type { Egress } from '@agp/runtime/egress';
import { createTransport } from 'nodemailer';
import { exchangeMs } from '../../limits.ts';
import type { Message } from './message.ts';
import { failed, type Outcome } from './post.ts';

interface MailSettings {
  smtpUrl?: string | undefined;
  smtpFrom: string;
}

/** Tests and reports have no thread. */
const threadOf = (message: Message, domain: string) => {
  if (message.occasion === 'test' || message.occasion === 'report') return {};
  const { id } = message.alert;
  return { references: `<${id}@${domain}>`, inReplyTo: `<${id}@${domain}>` };
};

/** A way to a mail server, by an egress proxy if one leads there. */
function openTransport(url: string, egress: Egress) {
  const limits = { connectionTimeout: exchangeMs, greetingTimeout: exchangeMs, socketTimeout: exchangeMs };
  const transport = createTransport({
    ...{ url, ...limits, dnsTimeout: exchangeMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const { protocol, hostname, port } = new URL(url);
  const server = { protocol: 'https:', hostname, port: port || (protocol === 'smtps:' ? '465' : '587') };
  const proxy = egress.find(server);
  if (proxy !== null)
    transport.getSocket = (_, done) => {
      proxy.open(server, exchangeMs).then(
        (connection) => done(null, { connection }),
        (error: Error) => done(error, false),
      );
    };
  return { url, transport };
}

/** Sends mails by the operator's server, as its URL is at this moment; null without one. */
export function createMailer(settings: Readonly<MailSettings>, egress: Egress) {
  if (settings.smtpUrl === undefined) return null;
  const { smtpFrom } = settings;
  let opened = openTransport(settings.smtpUrl, egress);
  const domain = /@([\w.-]+)>?$/.exec(smtpFrom)?.[1] ?? 'localhost';
  return (to: readonly string[], message: Message) => {
    if (settings.smtpUrl !== undefined && opened.url !== settings.smtpUrl)
      opened = openTransport(settings.smtpUrl, egress);
    return opened.transport.sendMail({
      ...{ from: smtpFrom, to: [...to], subject: message.first },
      text: [
        message.first,
        ...message.rest,
        ...message.links.flatMap(({ title, url }) => ['', `${title}: ${url}`]),
      ].join('\n'),
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
