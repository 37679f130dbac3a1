import type { Logger } from '../logger.ts';

// Made by npm run generate.

/** The variables of all services. */
export const knownVariables: readonly string[] = [
  'AGENT_IDENTITY',
  'ALLOWED_HOSTS',
  'ALLOWED_ORIGINS',
  'ALLOW_OPEN_PROVIDER_KEYS',
  'AUDIT',
  'AUDIT_DIRECTIONS',
  'BUDGET',
  'BUDGET_DEFAULT_OUTPUT_TOKENS',
  'BUDGET_UNPRICED_USD',
  'CONSOLE_ORIGIN',
  'CONSOLE_PROXY_ADDRESS',
  'DATABASE_URL',
  'DRAIN_DELAY_SECONDS',
  'EDITION',
  'EVENT_KEEP_HOURS',
  'EVENT_STREAM_MAX_BYTES',
  'EVENT_STREAM_REPLICAS',
  'HOST',
  'KILL_RUNNING',
  'LOG_LEVEL',
  'MANAGEMENT_API_KEY',
  'MANAGEMENT_PORT',
  'MAX_BODY_SECONDS',
  'MAX_BUFFERED_BYTES',
  'MAX_BUFFERED_BYTES_PER_AGENT',
  'MAX_CONNECTIONS',
  'MAX_REGISTRATIONS_PER_MINUTE',
  'MAX_REQUEST_BYTES',
  'MAX_STREAMS_PER_KEY',
  'MIN_BODY_BYTES_PER_SECOND',
  'NATS_CA_FILE',
  'NATS_URL',
  'NATS_URL_FILE',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_ISSUER',
  'OIDC_ROLES',
  'OIDC_ROLE_CLAIM',
  'OIDC_SCOPE',
  'OPS_HOST',
  'OPS_PORT',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'PII_BUDGET_MS',
  'PII_PERSON_NAMES',
  'PII_SCAN',
  'PRICES_FILE',
  'PROVIDERS_FILE',
  'PROXY_PORT',
  'REDIS_CA_FILE',
  'REDIS_TIMEOUT_MS',
  'REDIS_URL',
  'SESSION_IDLE_SECONDS',
  'SHUTDOWN_GRACE_SECONDS',
  'STORAGE_TIMEOUT_MS',
  'TRUST_PROXY',
  'UPSTREAM_TIMEOUT_SECONDS',
  'WRITER_LANES',
];

/** Variables of commands and of the local stack, which services get to see too. */
const otherVariables = [
  ...['AGP_API_KEY', 'AGP_BEGAN_AT', 'AGP_DATA_DIR', 'AGP_LOCAL_API_KEY', 'AGP_LOCAL_URL', 'AGP_POSTGRES', 'AGP_URL'],
  ...['MIGRATOR', 'PROXY', 'WRITER', 'MANAGEMENT', 'GRAFANA'].map((role) => `AGP_${role}_PASSWORD`),
  ...['HOST', 'PORT', 'RETENTION_DAYS'],
];
const known = new Set([...knownVariables, ...otherVariables]);

/** Names that begin like this are ours, or were meant to be. */
const ownPrefixes = /^(?:AGP|AGENT|BUDGET|PII|PROVIDER)_/;
const providerVariable = /^PROVIDER_[A-Z0-9_]+_(?:URL|API_KEY|API_KEY_FILE)$/;
/** Set by Kubernetes and Docker for each service that they know, of any name. */
const serviceLink = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)(?:_|$)/;

/** Shorter names differ from too many others by a letter or two; of two that are alike one is a letter longer. */
const shortestLikeness = 5;
const lengthForTwoLetters = 12;
const longestName = 80;
const mostReported = 20;

/** A variable that nothing reads, and the one that was probably meant. */
export interface StrangeVariable {
  name: string;
  meant: string | null;
}

/**
 * Finds variables that look like ours and are none: those that differ from one of ours by a letter or two, or begin like ours. Their
 * values are not looked at. At most 20.
 */
export function findStrangeVariables(environment: NodeJS.ProcessEnv): StrangeVariable[] {
  const found: StrangeVariable[] = [];
  for (const name of Object.keys(environment).sort()) {
    if (found.length === mostReported) break;
    if (isKnown(name) || name.length > longestName || !/^\w+$/.test(name)) continue;
    const meant = findMeant(name);
    if (meant !== null || (ownPrefixes.test(name) && !isForeign(name, environment))) found.push({ name, meant });
  }
  return found;
}

const isKnown = (name: string) =>
  known.has(name) || known.has(name.replace(/_FILE$/, '')) || providerVariable.test(name);

/** Azure Pipelines has variables of its agents. */
const isForeign = (name: string, environment: NodeJS.ProcessEnv) =>
  serviceLink.test(name) || (name.startsWith('AGENT_') && environment.TF_BUILD !== undefined);

function findMeant(written: string): string | null {
  const name = written.toUpperCase();
  if (name.length < shortestLikeness) return null;
  const suffix = name.endsWith('_FILE') ? '_FILE' : '';
  const plain = name.slice(0, name.length - suffix.length);
  if (isKnown(name)) return name;
  // Many of OpenTelemetry's own differ by a few letters.
  const most = plain.length >= lengthForTwoLetters && !plain.startsWith('OTEL_') ? 2 : 1;
  const near = (whole: string, among: Iterable<string>) =>
    [...among]
      .filter((each) => each.length >= shortestLikeness && Math.max(each.length, whole.length) > shortestLikeness)
      .map((each) => ({ each, distance: countEdits(whole, each, most) }))
      .filter(({ distance }) => distance <= most)
      .sort((a, b) => a.distance - b.distance)[0]?.each;
  const likely = near(name, known) ?? (suffix === '' ? undefined : near(plain, known));
  if (likely === undefined) return null;
  return suffix !== '' && !likely.endsWith(suffix) ? likely + suffix : likely;
}

/** Letters to add, drop, change or swap with their neighbour; more than `most` once there are more. */
function countEdits(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const cost = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(isSwapped ? Math.min(cost, (before[column - 2] ?? 0) + 1) : cost);
    }
    before = last;
    last = line;
  }
  return last[b.length] ?? most + 1;
}

/** Warns of each variable that looks like ours and that nothing reads, with the one that was probably meant. */
export function warnOfStrangeVariables(environment: NodeJS.ProcessEnv, logger: Logger): void {
  for (const { name, meant } of findStrangeVariables(environment))
    logger.warn({ variable: name, meant: meant ?? undefined }, 'nothing reads this variable: is its name misspelt?');
}
