import { createRandom, type Random } from './emit-tokens.ts';
import * as anthropic from './told/anthropic.ts';
import * as gemini from './told/gemini.ts';
import * as openai from './told/openai.ts';
import type { Told, ToldCall } from './told/told-call.ts';

const kinds: Readonly<Record<string, (random: Random, count: number) => Told>> = { ...openai, ...anthropic, ...gemini };

/** Of every kind equally many, the same calls each time. */
export function planToldCalls(count: number): ToldCall[] {
  const random = createRandom(29);
  const makers = Object.entries(kinds);
  return Array.from({ length: count }, (_, index) => {
    const [name, make] = makers[index % makers.length] as (typeof makers)[number];
    return { id: `told-${index}`, name, method: 'POST', ...make(random, index) };
  });
}
