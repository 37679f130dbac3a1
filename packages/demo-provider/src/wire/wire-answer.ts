/** A call of a tool that a model makes. */
export interface ToolCall {
  id: string;
  name: string;
  /** An object as JSON text. */
  arguments: string;
}

/** A model's answer and usage, which each API writes in its own way. Each token is in one count only. */
export interface WireAnswer {
  /** Put after the prefix of each API's ids. */
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
  /** The text in the pieces that a stream delivers. */
  words: readonly string[];
  /** The tools that it calls after its words. */
  toolCalls: readonly ToolCall[];
  /** The caller's limit on output cut it short. */
  isCut: boolean;
  /** Input that no cache was involved in. */
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  /** Output that the caller sees. */
  output: number;
  reasoning: number;
}

/** A frame without an event name. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A frame named after its data's `type`. */
export function eventFrame(data: { type: string; [member: string]: unknown }): string {
  return `event: ${data.type}\n${dataFrame(data)}`;
}

/** A text in pieces of a few characters, as models stream the arguments of a tool. */
export function cutInPieces(text: string): string[] {
  return text.match(/.{1,7}/gs) ?? [];
}
