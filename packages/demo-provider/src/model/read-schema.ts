import { ProviderFault } from '../provider-fault.ts';

export type Schema = Record<string, unknown>;

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** References that lead to references, and schemas within `allOf`. */
const maxSteps = 64;

/**
 * Follows `$ref` to where it leads within the root; members beside it are kept.
 *
 * @throws ProviderFault if it leads nowhere
 */
export function resolveReference(given: unknown, root: Schema): Schema {
  let schema = given === true ? {} : given;
  for (let step = 0; step < maxSteps; step += 1) {
    if (!isObject(schema)) throw new ProviderFault('invalid_request', 'The schema has a part that is no schema.');
    const { $ref: reference, ...rest } = schema;
    if (reference === undefined) return schema;
    const target = findReference(reference, root);
    if (!isObject(target)) throw new ProviderFault('invalid_request', 'The schema has a $ref that leads nowhere.');
    schema = { ...target, ...rest };
  }
  throw new ProviderFault('invalid_request', 'The schema has a $ref that leads in a circle.');
}

function findReference(reference: unknown, root: Schema): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  const names = reference.split('/').slice(1);
  return names.reduce<unknown>((part, written) => {
    const name = decodeName(written).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof part === 'object' && part !== null && Object.hasOwn(part, name) ? (part as Schema)[name] : undefined;
  }, root);
}

function decodeName(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** A schema with those of its `allOf` put into it: bounds of the later ones win, members and what is required are gathered. */
export function mergeSchemas(schema: Schema, root: Schema, steps = { left: maxSteps }): Schema {
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...merged } = schema;
  for (const part of allOf as unknown[]) {
    steps.left -= 1;
    if (steps.left < 0) throw new ProviderFault('invalid_request', 'The schema has too many parts.');
    const next = mergeSchemas(resolveReference(part, root), root, steps);
    Object.assign(merged, next, joinMembers(merged, next));
  }
  return merged;
}

function joinMembers(a: Schema, b: Schema): Schema {
  const properties = [a.properties, b.properties].filter(isObject);
  const required = [a.required, b.required].filter(Array.isArray);
  return {
    ...(properties.length > 0 ? { properties: Object.assign({}, ...properties) } : {}),
    ...(required.length > 0 ? { required: required.flat() } : {}),
  };
}

/** The types that it allows, those other than null first; guessed from its other members where it names none. */
export function readTypes(schema: Schema): string[] {
  const named = [schema.type ?? []].flat().map((type) => String(type).toLowerCase());
  if (named.length > 0) return named.sort((a, b) => Number(a === 'null') - Number(b === 'null'));
  if (isObject(schema.properties) || Array.isArray(schema.required)) return ['object'];
  if (schema.items !== undefined || Array.isArray(schema.prefixItems)) return ['array'];
  return schema.minimum !== undefined || schema.maximum !== undefined ? ['number'] : ['string'];
}
