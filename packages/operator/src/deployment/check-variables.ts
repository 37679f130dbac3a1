import { describeIssue, toVariable } from '@agp/runtime';
import { managementConfigSchema, proxyConfigSchema, writerConfigSchema } from '@agp/settings';
import type { z } from 'zod';
import { maintainConfigSchema } from '../maintain-config.ts';

const schemas: Record<string, z.ZodObject> = {
  proxy: proxyConfigSchema,
  writer: writerConfigSchema,
  management: managementConfigSchema,
  maintain: maintainConfigSchema,
};

/** The variables that a service would refuse at its start, each with why; an empty one counts as unset, here as there. */
export function* findRefused(
  service: string,
  variables: Readonly<Record<string, string>>,
): Generator<[string, string]> {
  for (const [key, field] of Object.entries(schemas[service]?.shape ?? {})) {
    const name = toVariable(key);
    const text = variables[name] || undefined;
    const error = text && (field as z.ZodType).safeParse(text, { error: describeIssue }).error;
    if (error) yield [name, error.issues[0]?.message ?? ''];
  }
}
