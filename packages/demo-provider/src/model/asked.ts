/** A tool that a model may call. */
export interface Tool {
  name: string;
  /** The JSON schema of its arguments. */
  schema: unknown;
}

/** A request to a model, in the same form for all APIs. */
export interface Asked {
  model: string;
  /** The texts of the messages in order, instructions first. */
  texts: readonly string[];
  /** Images, files and sounds in the messages. */
  attachments: number;
  /** The caller's limit on output tokens. */
  maxTokens: number | undefined;
  tools: readonly Tool[];
  toolChoice: 'none' | 'auto' | 'required' | { name: string };
  /** It may call several tools at once. */
  parallel: boolean;
  /** The last message holds results of tools: there is something to say now. */
  hasToolResult: boolean;
  /** The schema that the answer must follow; `json` if it must only be JSON; null for text. */
  format: { schema: unknown } | 'json' | null;
  /** Reasoning tokens that the answer takes, if there is room for them. */
  reasoning: number;
  /** Input tokens that a cache holds, or is to hold. */
  cached: { read: number; write5m: number; write1h: number };
}

/** The text to answer: that of the last message. */
export const questionOf = ({ texts }: Asked): string => texts.at(-1) ?? '';

/** Nothing but a question. */
export const plainAsked = {
  attachments: 0,
  tools: [],
  toolChoice: 'auto',
  parallel: true,
  hasToolResult: false,
  format: null,
  reasoning: 0,
  cached: { read: 0, write5m: 0, write1h: 0 },
} as const satisfies Partial<Asked>;
