import type { Target, TargetKind } from '@agp/alerts';
import { toLineText } from '@agp/core/text';
import type { DocumentRow } from '@agp/db';
import { exchangeMs } from '../../limits.ts';
import { writeAlertmanager } from './alertmanager.ts';
import { type Mailer, sendMail } from './email.ts';
import type { AlertMessage, Message } from './message.ts';
import { type pagerdutyOrigins, writePagerduty } from './pagerduty.ts';
import { failed, type Outcome, type Post, type Poster } from './post.ts';
import { writeSlack } from './slack.ts';
import { writeTeams } from './teams.ts';
import { type SignedTarget, writeWebhook } from './webhook.ts';

/** What messages are sent by. */
export interface Means {
  poster: Poster;
  mailer: Mailer;
  /** PagerDuty's places. */
  origins: typeof pagerdutyOrigins;
  /** Ends all exchanges. */
  ending: AbortSignal;
}

type Deliver = (posts: Post[], means: Means) => Promise<Outcome>;

const within = ({ ending }: Means) => AbortSignal.any([AbortSignal.timeout(exchangeMs), ending]);

/** To all at once: delivered if all took it. */
const together: Deliver = async (posts, means) => {
  const signal = within(means);
  const outcomes = await Promise.all(posts.map((post) => means.poster.post(post, signal)));
  return outcomes.find(({ delivered }) => !delivered) ?? (outcomes[0] as Outcome);
};

/** One after the other, up to the first that is not taken. */
const inTurn: Deliver = async (posts, means) => {
  const signal = within(means);
  let outcome = failed('there is nothing to send');
  for (const post of posts) {
    outcome = await means.poster.post(post, signal);
    if (!outcome.delivered) break;
  }
  return outcome;
};

interface Sender<Kind extends TargetKind> {
  /** It is told again and again what is open, and has no rows of deliveries. */
  isFed?: true;
  send(target: Target<Kind>, messages: readonly [Message, ...Message[]], means: Means): Promise<Outcome>;
}

const isOfAlert = (message: Message): message is AlertMessage => message.occasion !== 'report';

/** How a message is written for each kind of target, and sent; what answers mean is the same for all that take HTTP: see `judge`. */
const senders: { [Kind in TargetKind]: Sender<Kind> } = {
  webhook: { send: (target: SignedTarget, [message], means) => together(writeWebhook(target, message), means) },
  slack: { send: (target, [message], means) => together(writeSlack(target, message), means) },
  teams: { send: (target, [message], means) => together(writeTeams(target, message), means) },
  pagerduty: {
    send: (target, messages, means) =>
      inTurn(
        messages.filter(isOfAlert).flatMap((message) => writePagerduty(target, message, means.origins)),
        means,
      ),
  },
  email: { send: (target, [message], { mailer }) => sendMail(target, message, mailer) },
  alertmanager: {
    isFed: true,
    send: (target, messages, means) => together(writeAlertmanager(target, messages.filter(isOfAlert)), means),
  },
};

type Stored = Pick<DocumentRow<'target'>, 'target' | 'secrets'>;

const kindOf = ({ target }: Pick<DocumentRow<'target'>, 'target'>) => target?.kind as TargetKind;

/** Whether a target is fed from what is open: such a one has no rows of deliveries. */
export const isFed = (target: Pick<DocumentRow<'target'>, 'target'>): boolean => senders[kindOf(target)].isFed === true;

/** Kinds of targets that are fed. */
export const fedKinds = (Object.keys(senders) as TargetKind[]).filter((kind) => senders[kind].isFed);

/** Parts of secrets shorter than this are words. */
const shortestSecret = 8;
const longestError = 300;

/** A text of a receiver, or of a library, in a line and without what is secret. */
export function hideSecrets(text: string, { target, secrets }: Stored): string {
  const isTold = (part: string) => part.length >= shortestSecret && part !== target?.host;
  const parts = Object.values(secrets ?? {}).flatMap((secret) => [secret, ...secret.split(/[\s/?&=]+/)]);
  const shown = parts.filter(isTold).reduce((rest, part) => rest.replaceAll(part, '…'), text);
  return toLineText(shown.slice(0, longestError), longestError);
}

/** Sends to a target, once, within ten seconds. Never rejects; its error is a line without secrets. */
export async function send(row: Stored, messages: readonly [Message, ...Message[]], means: Means): Promise<Outcome> {
  const sender = senders[kindOf(row)] as Sender<TargetKind>;
  const target = { ...row.target, ...row.secrets } as Target;
  let outcome: Outcome;
  try {
    outcome = await sender.send(target, messages, means);
  } catch (error) {
    outcome = failed((error as Error).message);
  }
  return { ...outcome, error: outcome.error && hideSecrets(outcome.error, row) };
}
