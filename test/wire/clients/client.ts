import type { Target } from '../sdks/call.ts';
import type { models } from '../sdks/conversation.ts';

export type Attachment = 'picture' | 'file' | 'sound';

/** Small files that every client takes for what they are. */
export const attachments: Record<Attachment, { bytes: Buffer; base64: string; type: string; name: string }> = {
  picture: attach(
    'cat.png',
    'image/png',
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ),
  file: attach('terms.pdf', 'application/pdf', Buffer.from('%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\n%%EOF\n')),
  sound: attach('speech.mp3', 'audio/mp3', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), Buffer.alloc(96, 7)])),
};

function attach(name: string, type: string, bytes: Buffer) {
  return { name, type, bytes, base64: bytes.toString('base64') };
}

export const dataUrl = (kind: Attachment) => `data:${attachments[kind].type};base64,${attachments[kind].base64}`;

/** What an agent does with one client. Each resolves with the text that the client showed. */
export interface Client {
  name: string;
  provider: keyof typeof models;
  takes: readonly Attachment[];
  ask(target: Target, attached?: Attachment): Promise<string>;
  /** Shows each piece of text as it comes; `target.signal` ends it. */
  stream(target: Target, show: (text: string) => void): Promise<void>;
  /** False if the caller cannot end a stream. */
  ends: boolean;
  /** Lets the model call the tool, and tells it the results. */
  useTools(target: Target): Promise<string>;
  /** Has a batch made, waits for it, and resolves with what the results say. */
  runBatch?(target: Target): Promise<string>;
}

/** With the client's own number of repetitions unless the target names one. */
export const retries = ({ maxRetries }: Target) => (maxRetries === undefined ? {} : { maxRetries });
