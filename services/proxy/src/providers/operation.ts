import type { Usage } from '@agp/core/pricing';

/** The wire formats that providers speak. */
export type ProviderApi = 'openai' | 'anthropic' | 'gemini';

/** What a request says about the model call that it asks for. */
export interface RequestReading {
  /** The model asked for, from the body or the path; null where neither names one. */
  requestedModel: string | null;
  /** Whether a streamed answer is asked for. */
  stream: boolean;
  /** The caller's bound on the output, in tokens; null where it gave none. */
  maxOutputTokens: number | null;
  /** The text that the model is to read, for token estimates. Walks the body each time it is called. */
  inputText(): string;
}

/** What an answer says about the model call that made it. */
export interface AnswerReading {
  /** The model that the provider says answered. */
  model: string | null;
  /** The provider's own figures; null where it gave none that can be used. */
  usage: Usage | null;
  /** What the model wrote, for token estimates; may be shortened to a bound. */
  outputText(): string;
}

/** What a stream said by the time it ended, or was cut. */
export interface StreamReading extends AnswerReading {
  /** The stream's own last frame came (`[DONE]`, `message_stop`, `response.completed`, a finish reason). */
  sawEnd: boolean;
  /** The provider reported an error in the stream. */
  failed: boolean;
  /**
   * `usage` counts the whole output. False where the stream was cut after figures that count the input
   * and little or none of the output; also false where `usage` is null.
   */
  usageIsFinal: boolean;
}

/** Takes a stream's messages one by one. Never throws, whatever the provider sends. */
export interface StreamReader {
  /**
   * @param event the frame's event name, empty where it has none
   * @param data the frame's data, each byte as one character (latin1), so that it is decoded only where it is read
   */
  push(event: string, data: string): void;
  /** Valid once; the reader is finished after it. */
  end(): StreamReading;
}

/** One kind of model call of one API, with pure mappings of what goes over its wire. Never throws on any body. */
export interface Operation {
  readonly api: ProviderApi;
  /** A stable name for metrics: `chat.completions`, `messages`, `generateContent` ... */
  readonly name: string;
  /** Streams give usage only where the request has `stream_options.include_usage` (see `spliceStreamUsage`). */
  readonly usageNeedsAsking: boolean;
  /** A stream may come as one JSON array of frames rather than as SSE. */
  readonly streamsAsArray: boolean;
  /**
   * @param body the parsed JSON body, anything where it is not an object
   * @param path the provider's path, without the query
   */
  readRequest(body: unknown, path: string): RequestReading;
  /** @param body the parsed JSON answer */
  readAnswer(body: unknown): AnswerReading;
  createStreamReader(): StreamReader;
}
