import { randomUUID } from 'node:crypto';
import { ProviderFault } from './request.ts';
import { sampleSchema } from './sample-schema.ts';
import { countConversationTokens, countTokens, splitTokens } from './tokens.ts';
import { cutInPieces, type ToolCall, type WireAnswer } from './wire/wire-answer.ts';

/** A tool that a model may call. */
export interface Tool {
  name: string;
  /** The JSON schema of its arguments. */
  schema: unknown;
}

/** A request to a model, in the same form for all APIs. */
export interface ModelRequest {
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
export const questionOf = ({ texts }: ModelRequest): string => texts.at(-1) ?? '';

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
} as const satisfies Partial<ModelRequest>;

const sentences = [
  'Here is how I would look at it.',
  'The part about {topic} matters most, because everything else depends on it.',
  'Start with {topic}, measure it for a week, and only then change the next thing.',
  'Two options are realistic: keep {topic} as it is and document it, or replace it in small steps.',
];

/** Longer questions are read up to here, in UTF-16 units. */
const maxRead = 10_000;

/** A few sentences about the question's longest words. @param leastWords how long it must be: it is said again until then */
function composeAnswer(question: string, leastWords: number): string {
  const words = question.slice(0, maxRead).match(/\p{L}{5,24}/gu) ?? [];
  const topics = [...new Set(words)].sort((a, b) => b.length - a.length);
  const said = sentences.map((each, at) => each.replace('{topic}', () => topics[at - 1] ?? topics[0] ?? 'the request'));
  const text = said.join(' ');
  return Array.from({ length: Math.max(1, Math.ceil(leastWords / text.split(' ').length)) }, () => text).join(' ');
}

/** A long stream has a word about every fifth of a second. */
const wordsPerSecond = 5;
const tokensPerAttachment = 256;
/** The frame around a request costs so many tokens. */
const baseTokens = 3;

/** The tokens of the messages, attachments, tools and schema. */
export function countInputTokens({ texts, attachments, tools, format }: ModelRequest): number {
  const defined = tools.length > 0 || typeof format === 'object' ? JSON.stringify([tools, format]) : '';
  return baseTokens + countConversationTokens(texts) + attachments * tokensPerAttachment + countTokens(defined);
}

/** The tools to call now: each that the question names, else the first. */
function chooseTools(asked: ModelRequest): readonly Tool[] {
  const { tools, toolChoice, parallel, hasToolResult } = asked;
  if (toolChoice === 'none' || (toolChoice === 'auto' && (hasToolResult || tools.length === 0))) return [];
  if (typeof toolChoice === 'object') {
    const named = tools.filter(({ name }) => name === toolChoice.name);
    if (named.length === 0)
      throw new ProviderFault('invalid_request', 'The tool to call is not among the tools.', 'tool_choice');
    return named.slice(0, 1);
  }
  if (tools.length === 0)
    throw new ProviderFault('invalid_request', 'A tool is to be called, but there is none.', 'tool_choice');
  const named = tools.filter(({ name }) => questionOf(asked).includes(name));
  return (named.length > 0 ? named : tools).slice(0, parallel && named.length > 0 ? 8 : 1);
}

function writeText(asked: ModelRequest, streamSeconds: number): string {
  const { format, attachments } = asked;
  if (typeof format === 'object' && format !== null) return JSON.stringify(sampleSchema(format.schema));
  const text = composeAnswer(questionOf(asked), streamSeconds * wordsPerSecond);
  if (format === 'json') return JSON.stringify({ answer: text });
  return attachments === 0
    ? text
    : `I have looked at the ${attachments === 1 ? 'file' : `${attachments} files`}. ${text}`;
}

/** What the simulated model answers. The same request always gets the same text, calls and token counts. */
export function answerAsked(asked: ModelRequest, streamSeconds: number): WireAnswer {
  const maxTokens = asked.maxTokens ?? Number.POSITIVE_INFINITY;
  const reasoning = Math.min(asked.reasoning, Math.floor(maxTokens / 2));
  const room = maxTokens - reasoning;
  const toolCalls = chooseTools(asked).map(({ name, schema }): ToolCall => {
    const text = JSON.stringify(sampleSchema(schema) ?? {});
    return { id: `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`, name, arguments: text };
  });
  const called = toolCalls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), 0);
  const pieces = called > 0 ? [] : splitTokens(writeText(asked, streamSeconds));
  const text = pieces.slice(0, room).join('');
  const { read, write5m, write1h } = asked.cached;
  return {
    id: randomUUID().replaceAll('-', ''),
    created: Math.floor(Date.now() / 1_000),
    model: asked.model,
    words: asked.format === null ? (text.match(/\s*\S+/g) ?? []) : cutInPieces(text),
    // Calls that are cut short would be of no use.
    toolCalls: called > room ? [] : toolCalls,
    isCut: pieces.length + called > room,
    input: countInputTokens(asked) - read - write5m - write1h,
    cacheRead: read,
    cacheWrite5m: write5m,
    cacheWrite1h: write1h,
    output: Math.min(pieces.length + called, room),
    reasoning,
  };
}

/** The tokens that automatic caches of prompts hold: all but the last message, in steps of 128 tokens, from 1,024 on. */
export function countCached(texts: readonly string[]): number {
  const tokens = countConversationTokens(texts.slice(0, -1));
  return tokens < 1_024 ? 0 : tokens - (tokens % 128);
}
