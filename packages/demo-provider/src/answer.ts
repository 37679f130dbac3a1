/** An answer of the simulated provider: one JSON document, or the frames of a server-sent event stream. */
export type Answer = { status: number; json: unknown } | { frames: Iterable<string> };

/** A frame without an event name, as OpenAI's chat completions send them. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A frame named after its data's `type`. */
export function eventFrame(data: { type: string; [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
