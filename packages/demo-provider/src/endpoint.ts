import type { IncomingHttpHeaders } from 'node:http';
import { answerAsked, type ModelRequest, questionOf } from './answer-asked.ts';
import { type Directives, readDirectives } from './request.ts';
import type { WireAnswer } from './wire/wire-answer.ts';

/** An answer of the simulated provider: one JSON document, or the frames of a stream. */
export type DemoAnswer = { directives?: Directives } & (
  | { json: unknown }
  | { frames: readonly (string | Buffer)[]; type?: string; errorFrame: string | Buffer }
);

/** What the simulated provider says that it bills. */
export interface Charge {
  day: string;
  /** A model, or a line such as `gpt-4o-2024-08-06, cached input`. */
  item: string;
  nanoUsd: number;
  /** The project, or workspace. */
  account: string;
}

/** A request that an endpoint answers. */
export interface DemoRequest {
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
  /** What the path's pattern found. */
  params: readonly string[];
  /** The JSON body of a POST. */
  body: unknown;
  charges: readonly Charge[];
}

export type Endpoint = (request: DemoRequest) => DemoAnswer | Promise<DemoAnswer>;

/** Method and path of an endpoint. */
export type Route = readonly [method: 'GET' | 'POST', path: RegExp, answer: Endpoint];

/** Answers what is asked as the request's directives say, in the form that `write` gives it. */
export function converse(
  { headers }: DemoRequest,
  asked: ModelRequest,
  write: (answer: WireAnswer) => DemoAnswer,
): DemoAnswer & { directives: Directives } {
  const directives = readDirectives(headers, questionOf(asked));
  return { ...write(answerAsked(asked, directives['x-demo-stream-seconds'])), directives };
}
