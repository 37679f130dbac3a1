import { z } from 'zod';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

/** The content of a message: a string, or a list of parts. */
export const contentField = z.union([z.string(), z.array(part)]);

/** A message of any of the APIs. Tool calls come without content. */
export const messageField = z.looseObject({ role: z.string(), content: contentField.nullish() });

export type Message = z.infer<typeof messageField>;

/** The text of a content: its text parts, joined by spaces. */
export function textOf(content: z.infer<typeof contentField> | null | undefined): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((each) => (each.text === undefined ? [] : [each.text])).join(' ');
}
