import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@agp/core/errors';
import type { WrittenDocument } from '@agp/db';
import { changeText, findMember, readText } from '@agp/documents/yaml';
import { type Policy, policySchema, withoutSign, withoutSigns } from '@agp/policy';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Caller } from './keys.ts';
import { found, parseInput } from './requests.ts';
import { joinTeam } from './teams.ts';

/** Reads YAML. @throws ApiError `invalid_parameter` with line and field of the first fault */
export const readYaml =
  <Value>(schema: z.ZodType<Value>, noun: string) =>
  (text: string): Value => {
    const { value, faults } = readText(text, schema, noun);
    const [fault] = faults;
    if (fault === undefined) return value as Value;
    const line = text.slice(0, fault.from).split('\n').length;
    throw new ApiError('invalid_parameter', `line ${line}: ${fault.message}`);
  };

/** Says which member of what came cannot be used, and in which line of YAML. */
export function refuseMember(
  { body }: Pick<Request, 'body'>,
  path: readonly (string | number)[],
  message: string,
): ApiError {
  const where = typeof body === 'string' ? `line ${body.slice(0, findMember(body, path)).split('\n').length}: ` : '';
  return new ApiError('invalid_parameter', `${where}${path.join('.')}: ${message}`);
}

interface Given<Value> {
  body: Value;
  request: Request;
  caller: Caller | undefined;
}

/**
 * A document as it is stored: for a team's agents alone, with the text that came, or with that of what is stored if both say the same.
 * @param toSaid what of it is compared
 * @throws ApiError as `joinTeam`
 */
export function writeDocument<Value extends Parameters<typeof joinTeam>[0]>(
  { body, request, caller }: Given<Value>,
  schema: z.ZodType<Value>,
  stored?: { said: unknown; text: string | null },
  toSaid: (document: Value) => unknown = (document) => document,
) {
  const document = joinTeam(body, caller?.match, schema);
  const kept = stored && isDeepStrictEqual(stored.said, toSaid(document)) ? stored.text : null;
  // A text without the team's labels would not say what holds.
  const isWhole = isDeepStrictEqual(document, body);
  return { document, text: isWhole ? (typeof request.body === 'string' ? request.body : kept) : null };
}

/**
 * A policy as it is stored: each exception says who made it, and when, as the stored one does if it is alike; and the text that came, or
 * the stored one if that says the same.
 * @throws ApiError `invalid_parameter` if that makes it too long
 */
export function writePolicy(input: Given<Policy>, stored?: { policy: unknown; text: string | null }): WrittenDocument {
  const { request, caller } = input;
  const before = policySchema.safeParse(stored?.policy).data;
  const kept = before && stored && { said: withoutSigns(before), text: stored.text };
  const { document: body, text } = writeDocument(input, policySchema, kept, withoutSigns);
  if (body.exceptions === undefined) return { document: body, text };
  const sign = { by: found(caller, 'internal').actor.name, at: new Date().toISOString() };
  const exceptions = body.exceptions.map(withoutSign).map((exception) => {
    const same = before?.exceptions?.find((each) => isDeepStrictEqual(withoutSign(each), exception));
    return same ?? { ...exception, ...sign };
  });
  // What a text says of who made them is not so.
  const isSigned =
    typeof request.body === 'string' && body.exceptions.some(({ by, at }) => by !== undefined || at !== undefined);
  const plain = isSigned && text !== null ? changeText(text, ['exceptions'], body.exceptions.map(withoutSign)) : text;
  return { document: parseInput(policySchema, { ...body, exceptions }, 'body'), text: plain };
}
