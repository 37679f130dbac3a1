import type { Logger } from '../logger.ts';
import { knownVariables } from './known-variables.ts';

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
