import { z } from 'zod';
import type { SdkCall, Target } from './call.ts';

/** Several turns of an agent with a model, through one client. */
export interface Conversation {
  name: string;
  provider: SdkCall['provider'];
  /** Resolves with everything that the client showed of it, in order. */
  run(target: Target): Promise<unknown>;
}

export const models = { openai: 'gpt-5', anthropic: 'claude-opus-4-5', gemini: 'gemini-2.5-flash' } as const;

export const question = 'How warm is it in Oslo and in Lima? \u{1F30D}';
export const afterthought = 'And which of the two is warmer?';

/** The tool that the model may call, as a JSON schema and as zod's. */
export const temperatureTool = {
  name: 'get_temperature',
  description: 'The temperature of a city, in degrees Celsius.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  input: z.object({ city: z.string() }),
} as const;

/** What the client's side of the tool answers. */
export function readTemperature({ city }: { city: string }): { celsius: number } {
  return { celsius: city.length * 3 };
}

/** What the structured answers must be. */
export const weather = z.object({ city: z.string(), celsius: z.number() });
