import { z } from 'zod';

/** A part of a message; those of Gemini have no type. */
const part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });

/** The content of a message: a string, or a list of parts. */
export const contentField = z.union([z.string(), z.array(part)]);

export type Content = z.infer<typeof contentField> | null | undefined;

/** A message of OpenAI's and Anthropic's APIs. Tool calls come without content. */
export const messageField = z.looseObject({ role: z.string(), content: contentField.nullish() });

/** Whole numbers above 0. */
export const countField = z.number().int().min(1);

/** The text of a content: its text parts, joined by spaces. */
export function textOf(content: Content): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((each) => (each.text === undefined ? [] : [each.text])).join(' ');
}

const attached = /^(?:input_)?(?:image|image_url|file|audio|document|container_upload)$/;

/** How many images, files and sounds a content has. */
export function countAttachments(content: Content): number {
  if (!Array.isArray(content)) return 0;
  return content.filter((each) => attached.test(each.type ?? '') || each.inlineData || each.fileData).length;
}
