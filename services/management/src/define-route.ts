import { changeQuerySchema, type Scope } from '@agp/core/contracts';
import type { ErrorCode } from '@agp/core/errors';
import type { Db } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';
import type { ManagementConfig } from '@agp/settings';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { AlertWatch } from './alerts/alert-watch.ts';
import type { Notifier } from './alerts/notifier.ts';
import type { ConsoleFiles } from './console/console-files.ts';
import type { SignIns } from './console/sign-ins.ts';
import type { BudgetCounter } from './jobs/budget-counter.ts';
import type { Caller } from './keys.ts';
import type { LiveStreams } from './live/live-streams.ts';
import type { PriceReader } from './reads/prices.ts';
import type { StatusReader } from './reads/status-reader.ts';
import type { TokenTrier } from './reads/try-token.ts';
import type { Parameter } from './requests.ts';

export interface Context {
  config: ManagementConfig;
  /** Its connections; a caller that reads has its share of those for reads. */
  db: Db;
  counter: BudgetCounter;
  alertWatch: AlertWatch;
  notifier: Notifier;
  reservations: BudgetReservations;
  streams: LiveStreams;
  status: StatusReader;
  console: ConsoleFiles;
  signIns: SignIns;
  readPrices: PriceReader;
  tokens: TokenTrier;
}

export interface RouteAnswer<Schema extends z.ZodType | undefined = z.ZodType | undefined> {
  status?: 201 | 204;
  description: string;
  schema?: Schema;
  contentType?: string;
  /** The answer has a `Link` header while there are more entries. */
  paged?: boolean;
  /** Also sent as CSV; the columns are the members that every row has, if not given. */
  csv?: { name: string; columns?(query: unknown): readonly string[] };
}

export interface Input<Name extends string, Query, Body> {
  params: Record<Name, string>;
  query: Query;
  body: Body;
  request: Request;
  caller: Caller | undefined;
}

export interface Route {
  method: 'get' | 'put' | 'post' | 'delete';
  /** The path, its parameters as OpenAPI writes them: `/api/v1/agents/{id}`. */
  path: string;
  /** The scope that the caller's key must have; null if no key is needed. */
  scope: Scope | null;
  /** It changes nothing, as a GET. */
  isRead?: boolean;
  /** Reading it gives an `ETag`, by which a change may ask that nobody made another meanwhile. */
  isVersioned?: boolean;
  /** Of all agents, whatever their team: a key of a team gets 403. */
  ofInstallation?: boolean;
  /** Answers 404 in the base edition. */
  extendedOnly?: boolean;
  tag: string;
  summary: string;
  params?: Record<string, Parameter>;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Reads a body of `application/yaml`, which `request.body` then holds as text. */
  readText?(text: string): unknown;
  answer: RouteAnswer;
  /** Errors beyond those that its scope, parameters, query and body bring by themselves. */
  errors?: ErrorCode[];
  /** @returns the JSON to answer with; undefined for no content, or if the handler has answered itself */
  handle(input: Input<string, unknown, unknown>, context: Context, response: Response): unknown;
}

export function isInEdition(route: Route, { edition }: Pick<ManagementConfig, 'edition'>): boolean {
  return edition === 'extended' || !route.extendedOnly;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers itself is an ordinary function without a result.
type Result<Schema> = (Schema extends z.ZodType ? z.output<Schema> : never) | void;

/** Types a route's handler by its parameters and schemas. Unless a scope is given, a GET needs `read` and a change `write`. */
export function defineRoute<
  Name extends string = never,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Schema extends z.ZodType | undefined = undefined,
>(
  address: `${'GET' | 'PUT' | 'POST' | 'DELETE'} /${string}`,
  route: Omit<Route, 'method' | 'path' | 'scope' | 'tag' | 'params' | 'query' | 'body' | 'answer' | 'handle'> & {
    scope?: Scope | null;
    params?: Record<Name, Parameter>;
    query?: Query;
    body?: Body;
    answer: RouteAnswer<Schema>;
    handle(
      input: Input<Name, Parsed<Query>, Parsed<Body>>,
      context: Context,
      response: Response,
    ): Result<Schema> | Promise<Result<Schema>>;
  },
): Omit<Route, 'tag'> {
  const [method = '', path = ''] = address.split(' ');
  const isRead = method === 'GET' || route.isRead === true;
  const query = method === 'GET' ? undefined : changeQuerySchema;
  return {
    scope: isRead ? 'read' : 'write',
    query,
    ...route,
    isRead,
    method: method.toLowerCase(),
    path,
  } as unknown as Omit<Route, 'tag'>;
}

export function tagRoutes(tag: string, routes: readonly Omit<Route, 'tag'>[]): Route[] {
  return routes.map((route) => ({ ...route, tag }));
}
