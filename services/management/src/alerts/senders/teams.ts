import type { Target } from '@agp/alerts';
import type { Message } from './message.ts';
import type { Post } from './post.ts';

/** Runs of text, in which Teams sees no Markdown: an agent's name is no link. */
const paragraph = (text: string, look: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...look }],
});

/** What a Teams workflow posts that begins with "When a Teams webhook request is received". */
export function writeTeams({ url }: Target<'teams'>, { first, rest, links }: Message): Post[] {
  const content = {
    ...{ $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4' },
    fallbackText: first,
    body: [paragraph(first, { weight: 'bolder' }), ...rest.map((line) => paragraph(line))],
    ...(links.length > 0 && { actions: links.map((each) => ({ type: 'Action.OpenUrl', ...each })) }),
    msteams: { width: 'Full' },
  };
  const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }];
  return [{ url, body: JSON.stringify({ type: 'message', summary: first, attachments }) }];
}
