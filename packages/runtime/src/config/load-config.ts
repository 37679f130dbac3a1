import { readFileSync } from 'node:fs';
import { ConfigError } from '@agp/core/errors';
import type { z } from 'zod';
import type { Logger } from '../logger.ts';
import { knownVariables } from './known-variables.ts';

export { ConfigError };

export function toVariable(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Other programs read these in small letters too. */
const usualVariables = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** Paths of the files that hold settings, by the setting's name. */
export type SettingFiles = Readonly<Record<string, string>>;

function findFile(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return name.endsWith('_FILE') ? undefined : environment[`${name}_FILE`] || undefined;
}

function readVariable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = findFile(environment, name);
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch {
      throw new ConfigError(`${name}_FILE: cannot read ${file}`);
    }
  }
  // An empty variable or file counts as unset: compose files and shells cannot express the difference.
  return environment[name] || (usualVariables.has(name) && environment[name.toLowerCase()]) || undefined;
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

export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
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

/**
 * Reads variables in upper snake case, or their `_FILE`, whose paths are `files`: what may change is read there again.
 * @throws ConfigError naming all that are missing or invalid
 */
export function loadConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: NodeJS.ProcessEnv,
): z.infer<z.ZodObject<Shape>> & { files?: SettingFiles } {
  const keys = Object.keys(schema.shape);
  const raw = Object.fromEntries(keys.map((key) => [key, readVariable(environment, toVariable(key))]));
  const parsed = schema.safeParse(raw, { error: describeIssue });
  const files: Record<string, string> = {};
  for (const key of keys) {
    const file = findFile(environment, toVariable(key));
    if (file !== undefined) files[key] = file;
  }
  if (parsed.success) return { ...parsed.data, files };
  const firstIssues = Map.groupBy(parsed.error.issues, (issue) => toVariable(String(issue.path[0])));
  throw new ConfigError([...firstIssues].map(([name, [issue]]) => `${name}: ${issue?.message}`).join('\n'));
}

const otherVariables = [
  ...['AGP_API_KEY', 'AGP_BEGAN_AT', 'AGP_DATA_DIR', 'AGP_LOCAL_API_KEY', 'AGP_LOCAL_URL', 'AGP_POSTGRES', 'AGP_URL'],
  ...['MIGRATOR', 'PROXY', 'WRITER', 'MANAGEMENT', 'GRAFANA'].map((role) => `AGP_${role}_PASSWORD`),
];
const known = new Set([...knownVariables, ...otherVariables]);

/** Names that begin like this are ours, or were meant to be. */
const ownPrefixes = /^(?:AGP|AGENT|BUDGET|MANAGEMENT|OIDC|PII|PRICES|PROVIDERS?|WRITER)_\w{1,80}$/;
const providerVariable = /^PROVIDER_[A-Z0-9_]+_(?:URL|API_KEY|API_KEY_FILE)$/;
/** Set by Kubernetes and Docker for each service that they know, of any name. */
const serviceLink = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)(?:_|$)/;
const mostReported = 20;

/** Variables that begin like ours and that nothing reads, at most 20. Their values are not looked at. */
export function findStrangeVariables(environment: NodeJS.ProcessEnv): string[] {
  // Azure Pipelines has variables of its agents.
  const isForeign = (name: string) =>
    serviceLink.test(name) || (name.startsWith('AGENT_') && environment.TF_BUILD !== undefined);
  const isKnown = (name: string) =>
    known.has(name) || known.has(name.replace(/_FILE$/, '')) || providerVariable.test(name);
  return Object.keys(environment)
    .filter((name) => ownPrefixes.test(name) && !isKnown(name) && !isForeign(name))
    .sort()
    .slice(0, mostReported);
}

/** Warns of each variable that begins like ours and that nothing reads. */
export function warnOfStrangeVariables(environment: NodeJS.ProcessEnv, logger: Logger): void {
  for (const variable of findStrangeVariables(environment))
    logger.warn({ variable }, 'nothing reads this variable: is its name misspelt?');
}
