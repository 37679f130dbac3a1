import type { FakeReply } from '@agp/testing/providers';
import type { Random } from '../emit-tokens.ts';

/** A call whose provider tells what it bills, in one of the ways that an API has. */
export interface ToldCall {
  id: string;
  name: string;
  method: 'GET' | 'POST';
  path: string;
  /** A form, with its type, or an object. */
  body?: object;
  contentType?: string;
  reply: FakeReply;
  /** What the provider bills, in nano-dollars. */
  billed: number;
}

export type Told = Omit<ToldCall, 'id' | 'name' | 'method'> & { method?: 'GET' };

/** Nano-dollars a token, from the providers' price pages (November 2026). */
export interface Prices {
  input: number;
  cached: number;
  output: number;
}

/** Of a web search, in nano-dollars: 10 USD a thousand. */
export const search = 10_000_000;

export const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T;

/** Thousandths of a sum, rounded once, halves up. */
export const times = (sum: number, thousandths: number) => Math.floor((sum * thousandths + 500) / 1_000);

export const json = (body: object): FakeReply => ({ body });
export const events = (frames: readonly object[], end = ''): FakeReply => ({
  headers: { 'content-type': 'text/event-stream' },
  body:
    frames
      .map((frame) => `event: ${'type' in frame ? frame.type : 'message'}\ndata: ${JSON.stringify(frame)}\n\n`)
      .join('') + end,
});

export const question = 'What do you make of it?';
