import type { Scope } from '@agp/core/contracts';
import type { ErrorCode } from '@agp/core/errors';
import type { Db } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ManagementConfig } from './config.ts';
import type { Caller } from './keys/authenticate.ts';
import type { LiveStreams } from './live/live-streams.ts';

/** What the routes work with. */
export interface Context {
  config: ManagementConfig;
  /** Of a caller that reads, its share of connections that are there for reads alone. */
  db: Db;
  reservations: BudgetReservations;
  streams: LiveStreams;
}

/** What a success looks like, for the document; tests hold the real answers against the same schema. */
export interface Answer {
  status: 200 | 201 | 204;
  description: string;
  /** Absent where there is no body. */
  schema?: z.ZodType;
  /** `application/json` if absent. */
  contentType?: string;
  /** The answer has a `Link` header while there are more entries. */
  paged?: boolean;
}

export interface Input<Name extends string, Query, Body> {
  /** From the path; any text, never refused for its form. */
  params: Record<Name, string>;
  query: Query;
  body: Body;
  request: Request;
  /** Who asks; absent where the route needs no key. */
  caller: Caller | undefined;
}

export interface Parameter {
  description: string;
  example: string;
}

/** One endpoint: what the document says of it, and what it does. */
export interface Route {
  method: 'get' | 'put' | 'post' | 'delete';
  /** With parameters as OpenAPI writes them: `/api/v1/agents/{id}`. */
  path: string;
  /** What the caller's key must allow; null where no key is needed. */
  scope: Scope | null;
  /** Answers 404 in the base edition. */
  extendedOnly?: boolean;
  tag: string;
  summary: string;
  params?: Record<string, Parameter>;
  query?: z.ZodObject;
  body?: z.ZodType;
  answer: Answer;
  /** Those beyond what its scope, query and body bring by themselves. */
  errors: ErrorCode[];
  handle(input: Input<string, unknown, unknown>, response: Response, context: Context): Promise<void> | void;
}

/** False for what the base edition does not have. */
export function isInEdition(route: Route, { edition }: Pick<ManagementConfig, 'edition'>): boolean {
  return edition === 'extended' || !route.extendedOnly;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** Types a route's handler by its parameters and schemas. */
export function defineRoute<
  Name extends string = never,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  route: Omit<Route, 'params' | 'query' | 'body' | 'handle'> & {
    params?: Record<Name, Parameter>;
    query?: Query;
    body?: Body;
    handle(input: Input<Name, Parsed<Query>, Parsed<Body>>, response: Response, context: Context): Promise<void> | void;
  },
): Route {
  return route as unknown as Route;
}
