import { anthropicRows } from './anthropic.ts';
import type { Row } from './cell.ts';
import { compatibleRows } from './dialects.ts';
import { geminiRows } from './gemini.ts';
import { jobRows } from './jobs.ts';
import { openaiAudioRows } from './openai-audio.ts';
import { openaiChatRows } from './openai-chat.ts';
import { openaiCompletionRows } from './openai-completions.ts';
import { openaiImageRows } from './openai-images.ts';
import { openaiOtherRows } from './openai-other.ts';
import { openaiResponseRows } from './openai-responses.ts';

/** Every operation whose figures are read, streamed and not. */
export const rows: readonly Row[] = [
  ...openaiChatRows,
  ...openaiCompletionRows,
  ...openaiResponseRows,
  ...openaiOtherRows,
  ...openaiImageRows,
  ...openaiAudioRows,
  ...anthropicRows,
  ...geminiRows,
  ...jobRows,
  ...compatibleRows,
];
