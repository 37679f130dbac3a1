import { readFileSync } from 'node:fs';
import { ConfigError } from '@agp/core/errors';
import type { z } from 'zod';

export { ConfigError };

function toVariable(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function readVariable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = environment[`${name}_FILE`];
  if (file !== undefined && file !== '' && !name.endsWith('_FILE')) {
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch {
      throw new ConfigError(`${name}_FILE: cannot read ${file}`);
    }
  }
  // An empty variable or file counts as unset: compose files and shells cannot express the difference.
  return environment[name] === '' ? undefined : environment[name];
}

/**
 * Parses what the file holds that a variable names; null without one.
 * @throws ConfigError naming the variable, the file and what is wrong with it
 */
export function readSettingFile<Content>(
  variable: string,
  file: string | undefined,
  parse: (text: string) => Content,
): Content | null {
  if (file === undefined) return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${variable}: cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError(`${variable}: ${file}: ${(error as Error).message}`);
  }
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is not set';
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' || issue.expected === 'int' ? 'must be a whole number' : undefined;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? `must have at least ${issue.minimum} characters`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    default:
      return undefined;
  }
}

/** Reads variables in upper snake case, or their `_FILE`. Throws ConfigError naming all that are missing or invalid. */
export function loadConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: NodeJS.ProcessEnv,
): z.infer<z.ZodObject<Shape>> {
  const raw = Object.fromEntries(
    Object.keys(schema.shape).map((key) => [key, readVariable(environment, toVariable(key))]),
  );
  const parsed = schema.safeParse(raw, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const firstIssues = Map.groupBy(parsed.error.issues, (issue) => toVariable(String(issue.path[0])));
  throw new ConfigError([...firstIssues].map(([name, [issue]]) => `${name}: ${issue?.message}`).join('\n'));
}
