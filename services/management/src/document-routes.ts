import type { AuditAction } from '@agp/core/audit';
import { ApiError, type ErrorCode } from '@agp/core/errors';
import { type IdPrefix, toPublicId } from '@agp/core/ids';
import {
  createDocument,
  type Db,
  type DocumentConflict,
  type DocumentName,
  type DocumentRow,
  deleteDocument,
  listDocuments,
  readDocument,
  replaceDocument,
  type WrittenDocument,
} from '@agp/db';
import type { z } from 'zod';
import { type Change, recordChange, tellVersion } from './changes.ts';
import { type Context, defineRoute, type Input, type Route } from './define-route.ts';
import { found, type Parameter } from './requests.ts';
import { assureOwn } from './teams.ts';

type Untagged = Omit<Route, 'tag'>;
type Given<Value> = Input<never, unknown, Value>;
type MakeChange<Row> = (transaction: Db) => Promise<Change<Row>>;

/** How one kind of document is served: a row of its own in the file of its routes. */
export interface DocumentApi<Name extends DocumentName, Value, Shown> {
  kind: Name;
  /** What begins its audit actions. */
  action: 'policy' | 'budget' | 'identity' | 'notification_rule' | 'notification_target';
  path: `/api/v1/${string}`;
  /** If the list is served elsewhere than under the path; null if its route is written apart. */
  listPath?: `/api/v1/${string}` | null;
  prefix: IdPrefix;
  id: Parameter;
  unknown: ErrorCode;
  /** Whoever may change it needs; `write` if not given. */
  scope?: 'admin';
  ofInstallation?: true;
  schema: z.ZodType<Value>;
  /** Of a change, if that is another, and of the answer to a making. */
  changeSchema?: z.ZodType<Value>;
  madeSchema?: z.ZodType;
  shown: z.ZodType<Shown>;
  listShown?: z.ZodType<Shown[]>;
  readText?: (text: string) => Value;
  says: Record<'list' | 'make' | 'one' | 'replace' | 'remove', string> & { noun: string; nouns: string };
  errors: Partial<Record<'list' | 'make' | 'one' | 'replace' | 'remove', ErrorCode[]>>;
  most: number;
  mostOfTeam?: number;
  /** As the audit log has it, never with a secret. */
  describe(row: DocumentRow<Name>): Record<string, unknown>;
  present(context: Context, rows: readonly DocumentRow<Name>[]): Promise<Shown[]> | Shown[];
  /** What is stored of what came, and what is shown of it once. @param before what is stored now */
  write(
    input: Given<Value>,
    context: Context,
    before?: DocumentRow<Name>,
  ): WrittenDocument & { shownOnce?: Record<string, unknown> };
  /** Looked at before a change begins. @param id of what is replaced */
  assure?(input: Given<Value>, context: Context, id?: string): Promise<unknown>;
  /** What stands around a change. */
  change?(
    context: Context,
    input: Given<Value>,
    action: AuditAction,
    make: MakeChange<DocumentRow<Name>>,
  ): Promise<DocumentRow<Name>>;
}

function assureStored<Stored extends object>(stored: Stored | DocumentConflict, message?: string): Stored {
  if (!('code' in stored)) return stored;
  const { code, message: why = message } = stored as DocumentConflict;
  throw new ApiError(code, why === undefined ? {} : { message: why });
}

/** The routes of a kind: its list, one made, read, replaced and removed, each change with its audit entry and its `ETag`. */
export function documentRoutes<Name extends DocumentName, Value, Shown>(
  of: DocumentApi<Name, Value, Shown>,
): Untagged[] {
  const { kind, path, listPath = path, says, errors, schema, shown, describe, unknown } = of;
  const { change: run = recordChange, present } = of;
  const shared = { ...(of.ofInstallation && { ofInstallation: true as const }) };
  const changing = { ...shared, ...(of.scope && { scope: of.scope }) };
  const one = { isVersioned: true, params: { id: of.id } };
  const texts = of.readText && { readText: of.readText };
  const target = ({ id }: { id: string }) => toPublicId(of.prefix, id);
  const assureOwned = (row: DocumentRow<Name>, { caller }: Given<unknown>) =>
    'team' in row ? assureOwn(row as typeof row & { team: null }, caller?.match) : row;
  const presentOne = async (context: Context, row: DocumentRow<Name>) =>
    found((await present(context, [row]))[0], unknown);

  const list = defineRoute(`GET ${listPath ?? path}`, {
    ...shared,
    summary: says.list,
    answer: { description: says.nouns, schema: of.listShown as z.ZodType<unknown> },
    ...(errors.list && { errors: errors.list }),
    handle: async (_input, context) => present(context, await listDocuments(context.db, kind)),
  });
  const make = defineRoute(`POST ${path}`, {
    ...changing,
    summary: says.make,
    body: schema as z.ZodType<unknown>,
    ...texts,
    answer: { status: 201, description: says.noun, schema: (of.madeSchema ?? shown) as z.ZodType<unknown> },
    ...(errors.make && { errors: errors.make }),
    handle: async (given, context) => {
      const input = given as Given<Value>;
      await of.assure?.(input, context);
      const { shownOnce, ...written } = of.write(input, context);
      const team = (of.mostOfTeam !== undefined && input.caller?.match) || null;
      const most = (team && of.mostOfTeam) ?? of.most;
      const row = await run(context, input, `${of.action}.create`, async (transaction) => {
        const made = await createDocument(transaction, kind, written, { most, team });
        const isFull = 'code' in made && String(made.code).startsWith('too_many');
        const result = assureStored(made, isFull && team ? `a team may have ${most}` : undefined);
        return { result, target: target(result), after: describe(result) };
      });
      return { ...(await presentOne(context, row)), ...shownOnce };
    },
  });
  const read = defineRoute(`GET ${path}/{id}`, {
    ...shared,
    ...one,
    summary: says.one,
    answer: { description: says.noun, schema: shown as z.ZodType<unknown> },
    ...(errors.one && { errors: errors.one }),
    handle: async ({ params }, context, response) => {
      const row = found(await readDocument(context.db, kind, params.id), unknown);
      return tellVersion(response, `${row.version}`, await presentOne(context, row));
    },
  });
  const replace = defineRoute(`PUT ${path}/{id}`, {
    ...changing,
    ...one,
    summary: says.replace,
    body: (of.changeSchema ?? schema) as z.ZodType<unknown>,
    ...texts,
    answer: { description: `${says.noun} as it is now`, schema: shown as z.ZodType<unknown> },
    ...(errors.replace && { errors: errors.replace }),
    handle: async (given, context) => {
      const { params } = given;
      const input = given as Given<Value>;
      await of.assure?.(input, context, params.id);
      const row = await run(context, input, `${of.action}.update`, async (transaction) => {
        const write = (stored: DocumentRow<Name>) => {
          const { shownOnce: _, ...written } = of.write(input, context, assureOwned(stored, input));
          return written;
        };
        const replaced = found(await replaceDocument(transaction, kind, params.id, write), unknown);
        const { before, after } = assureStored(replaced);
        const versions = { before: `${before.version}`, after: `${after.version}` };
        return { result: after, target: target(after), before: describe(before), after: describe(after), versions };
      });
      return presentOne(context, row);
    },
  });
  const remove = defineRoute(`DELETE ${path}/{id}`, {
    ...changing,
    ...one,
    summary: says.remove,
    answer: { status: 204, description: `${says.noun} is gone` },
    ...(errors.remove && { errors: errors.remove }),
    handle: (input, context) =>
      recordChange(context, input, `${of.action}.delete`, async (transaction) => {
        const row = assureStored(found(await deleteDocument(transaction, kind, input.params.id), unknown));
        assureOwned(row, input);
        const versions = { before: `${row.version}` };
        return { result: undefined, target: target(row), before: describe(row), versions };
      }),
  });
  return [...(of.listPath === null ? [] : [list]), make, read, replace, remove];
}
