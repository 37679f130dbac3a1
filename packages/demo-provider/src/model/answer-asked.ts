import { randomUUID } from 'node:crypto';
import { ProviderFault } from '../provider-fault.ts';
import { cutInPieces, type ToolCall, type WireAnswer } from '../wire/wire-answer.ts';
import { type Asked, questionOf, type Tool } from './asked.ts';
import { composeAnswer } from './compose-answer.ts';
import { countConversationTokens, countTokens, splitTokens } from './count-tokens.ts';
import { sampleSchema } from './sample-schema.ts';

/** A long stream has a word about every fifth of a second. */
const wordsPerSecond = 5;
const tokensPerAttachment = 256;
/** Of the frame around a request. */
const baseTokens = 3;

/** The tokens of the messages, attachments, tools and schema. */
export function countInputTokens({ texts, attachments, tools, format }: Asked): number {
  const defined = tools.length > 0 || typeof format === 'object' ? JSON.stringify([tools, format]) : '';
  return baseTokens + countConversationTokens(texts) + attachments * tokensPerAttachment + countTokens(defined);
}

/** The tools to call now: those that the question names, else the first. */
function chooseTools(asked: Asked): readonly Tool[] {
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

function writeText(asked: Asked, streamSeconds: number): string {
  const { format, attachments } = asked;
  if (typeof format === 'object' && format !== null) return JSON.stringify(sampleSchema(format.schema));
  const text = composeAnswer(questionOf(asked), streamSeconds * wordsPerSecond);
  if (format === 'json') return JSON.stringify({ answer: text });
  return attachments === 0
    ? text
    : `I have looked at the ${attachments === 1 ? 'file' : `${attachments} files`}. ${text}`;
}

/**
 * What the simulated model answers. The same request always gets the same text, calls and token counts.
 *
 * @param streamSeconds how long the answer is to be streamed: its text is long enough for that
 */
export function answerAsked(asked: Asked, streamSeconds: number): WireAnswer {
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
