import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import type { VendorWords } from './vendor-words.ts';

const vendors: readonly VendorWords[] = [openai, anthropic, gemini, bedrock];

/** All vendors' words of one role, none twice. */
export const listWords = (role: keyof VendorWords): string[] => [
  ...new Set(vendors.flatMap((words) => words[role]?.split(/\s+/) ?? [])),
];

/** Matches one of them, and nothing else. */
export const matchWords = (role: keyof VendorWords): RegExp => new RegExp(`^(?:${listWords(role).join('|')})$`);
