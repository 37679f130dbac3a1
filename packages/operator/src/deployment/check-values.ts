import { z } from 'zod';

/** Values for the chart as their file has them: each member may be of any type. */
type Values = Record<string, unknown>;

const isGroup = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the chart's schema refuses, each by its path, as helm would; and the values without it. */
export function dropInvalid(own: Values, schema: Values): { faults: string[]; values: Values } {
  const values = dropNulls(own);
  const { error } = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(values);
  const faults = (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') {
      remove(values, path);
      return [`${path.join('.')}: ${issue.message}`];
    }
    for (const key of issue.keys) remove(values, [...path, key]);
    return issue.keys.map((key) => `${[...path, key].join('.')}: is no value of the chart; its values.yaml has all`);
  });
  return { faults, values };
}

/** A null takes a default away in helm, which drops it before it looks at the schema. */
const dropNulls = (group: Values): Values =>
  Object.fromEntries(
    Object.entries(group)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, isGroup(value) ? dropNulls(value) : value]),
  );

function remove(values: Values, path: readonly string[]): void {
  const last = path.at(-1);
  const group = path.slice(0, -1).reduce<unknown>((inner, key) => (isGroup(inner) ? inner[key] : undefined), values);
  if (last !== undefined && isGroup(group)) delete group[last];
}

/** Groups that somebody filled in and nobody switched on or off: what stands in them does nothing. */
export function* findIdle(own: Values, defaults: Values, path: readonly string[] = []): Generator<string> {
  for (const [key, group] of Object.entries(own)) {
    const usual = defaults[key];
    if (!isGroup(group) || !isGroup(usual)) continue;
    const name = [...path, key].join('.');
    const filled = Object.keys(group).filter((each) => each !== 'enabled' && !isGroup(usual[each]));
    if (usual.enabled === false && group.enabled === undefined && filled.length > 0)
      yield `${name}.enabled: is not set, so ${filled.map((each) => `${name}.${each}`).join(', ')} does nothing: say true or false`;
    yield* findIdle(group, usual, [...path, key]);
  }
}
