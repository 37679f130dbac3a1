import type { TestManagement } from './start-test-management.ts';

/** A client of the live stream that keeps what it was sent. */
export interface StreamClient extends AsyncDisposable {
  response: Response;
  /** Everything received so far, as it came. */
  readonly text: string;
  /** The ids of the events received so far. */
  readonly ids: string[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
}

/** Opens a stream; resolves when its headers are there. */
export async function openStream(
  management: TestManagement,
  query = '',
  init: RequestInit = {},
): Promise<StreamClient> {
  const abort = new AbortController();
  const response = await management.call(`/api/v1/events/stream${query}`, { ...init, signal: abort.signal });
  let text = '';
  const decoder = new TextDecoder();
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })();
  // Without this, a stream whose end nobody awaits would be an unhandled rejection.
  ended.catch(() => {});
  return {
    response,
    get text() {
      return text;
    },
    get ids() {
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => (JSON.parse(data) as { id: string }).id);
    },
    ended,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended.catch(() => {});
    },
  };
}
