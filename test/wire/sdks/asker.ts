import type { SdkCall, Target } from './call.ts';

/** One question through one client, for looking at how it fails. */
export interface Asker {
  name: string;
  provider: SdkCall['provider'];
  streams: boolean;
  /** Shows each piece of the answer as it comes. Rejects as the client does. */
  ask(target: Target, show: (part: unknown) => void): Promise<void>;
}

/** Shows every part of a stream. */
export async function showAll(stream: AsyncIterable<unknown>, show: (part: unknown) => void): Promise<void> {
  for await (const part of stream) show(part);
}
