import type { Target } from '@agp/alerts';
import type { Message } from './message.ts';
import type { Post } from './post.ts';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** So that no text of an agent is a link or calls a channel: https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escapeText = (text: string) => text.replaceAll(/[&<>]/g, (character) => entities[character] ?? '');

/** Slack's limit of a section's text, in characters. */
const longestSection = 3_000;

/** The lines that fit, whole. */
function fit(lines: readonly string[]): string {
  let text = '';
  for (const line of lines.map(escapeText))
    if (text.length + line.length < longestSection) text += `${text && '\n'}${line}`;
  return text || 'see the console';
}

/** An incoming webhook: a link and no button, which would ask its app to answer. */
export function writeSlack({ url }: Target<'slack'>, { first, rest, links }: Message): Post[] {
  const section = (lines: readonly string[]) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: fit(lines), verbatim: true },
  });
  const elements = links.map((each) => ({
    type: 'mrkdwn',
    text: `<${escapeText(each.url.replaceAll('|', '%7C'))}|${each.title}>`,
  }));
  const blocks = [section([first, ...rest]), ...(elements.length > 0 ? [{ type: 'context', elements }] : [])];
  return [{ url, body: JSON.stringify({ text: fit([first]), unfurl_links: false, blocks }) }];
}
