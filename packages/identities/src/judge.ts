import { agentTokenPrefix, isNewAgentName, isReservedAgentName } from '@agp/core/contracts';
import { complianceTagPattern } from '@agp/core/events';
import { labelValue } from '@agp/core/labels';
import type { Identity, IdentityRule } from './schema.ts';
import { type ClaimValue, isClaimValue, parseTemplate, readClaim, stepsOf } from './template.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Which agent a token's workload is. */
export interface Workload {
  /** Names of the issuer and of its rule. */
  identity: string;
  rule: string;
  agent: string;
  labels: Record<string, string>;
  complianceTag: string | null;
  /** The claims that make its name, as JSON: of two workloads no two are alike. */
  workload: string;
}

/** Why a token is no agent's. Its text names claims, never what they are. */
export class NoWorkload extends Error {
  /** Null if no rule holds. */
  readonly rule: string | null;
  /** Paths of claims that are missing, did not match, or cannot be used. */
  readonly claims: readonly string[];

  constructor(message: string, rule: string | null, claims: readonly string[]) {
    super(message);
    this.rule = rule;
    this.claims = claims;
  }
}

/** The issuer that a token names, if it is meant for us; its signature is another matter. */
export function findIssuer<Each extends Pick<Identity, 'issuer' | 'audiences'>>(
  identities: readonly Each[],
  { iss, aud }: Claims,
): Each | undefined {
  const named: unknown[] = Array.isArray(aud) ? aud : [aud];
  return identities.find(({ issuer, audiences }) => issuer === iss && audiences.some((each) => named.includes(each)));
}

/**
 * Which agent the workload with these claims is, by the first rule whose match holds.
 * @throws NoWorkload
 */
export function judge(identity: Identity, claims: Claims): Workload {
  const unmet: { rule: string; claim: string; fault: string }[] = [];
  for (const rule of identity.rules) {
    const claim = Object.keys(rule.match).find((path) => !holds(rule, claims, path));
    if (claim === undefined) return apply(identity, rule, claims);
    const fault = readClaim(claims, claim) === undefined ? 'is missing' : 'does not match';
    unmet.push({ rule: rule.name, claim, fault });
  }
  const said = unmet.slice(0, 5).map(({ rule, claim, fault }) => `${rule}: claim ${claim} ${fault}`);
  const more = unmet.length > said.length ? '; and others' : '';
  const message = `no rule of ${identity.name} holds: ${said.join('; ')}${more}`;
  throw new NoWorkload(message, null, [...new Set(unmet.map(({ claim }) => claim))]);
}

function holds({ match }: IdentityRule, claims: Claims, path: string): boolean {
  const value = readClaim(claims, path);
  const values = (Array.isArray(value) ? value : [value]).filter(isClaimValue).map(String);
  return (match[path] ?? []).some((pattern) =>
    pattern.endsWith('*')
      ? values.some((each) => each.startsWith(pattern.slice(0, -1)))
      : values.some((each) => each === pattern),
  );
}

function apply(identity: Identity, rule: IdentityRule, claims: Claims): Workload {
  const refuse = (message: string, paths: readonly string[] = []): never => {
    throw new NoWorkload(`rule ${rule.name} of ${identity.name}: ${message}`, rule.name, paths);
  };
  const readValue = (path: string): ClaimValue => {
    const value = readClaim(claims, path);
    if (value === undefined) return refuse(`claim ${path} is missing`, [path]);
    if (!isClaimValue(value)) return refuse(`claim ${path} is no text, whole number or boolean`, [path]);
    return value;
  };
  const fill = (template: string) => {
    const parts = parseTemplate(template);
    const paths = parts.flatMap((part) => ('claim' in part ? [part.claim] : []));
    return {
      paths,
      filled: parts.map((part) => ('text' in part ? part.text : String(readValue(part.claim)))).join(''),
    };
  };

  const used: [steps: string | string[], value: ClaimValue][] = [];
  const parts = parseTemplate(rule.agent);
  for (const [index, part] of parts.entries()) {
    if ('text' in part) continue;
    const value = readValue(part.claim);
    const next = parts[index + 1];
    // Else a reader of the name could not tell where the value ends: two workloads might have one name.
    if (next && 'text' in next && `${value}${next.text}`.indexOf(next.text) < String(value).length)
      refuse(`claim ${part.claim} holds the text that follows it in the name`, [part.claim]);
    used.push([stepsOf(claims, part.claim), value]);
  }
  const { filled: agent, paths } = fill(rule.agent);
  if (!isNewAgentName(agent) || isReservedAgentName(agent) || agent.includes(agentTokenPrefix)) {
    const what = 'is no name of an agent, which has at most 128 printable characters in Unicode form C';
    refuse(`what claim ${paths.join(' and ')} make ${what}`, paths);
  }
  const labels = Object.entries(rule.labels).map(([name, template]): [string, string] => {
    const value = fill(template);
    if (!labelValue.test(value.filled))
      refuse(`claim ${value.paths.join(' and ')} is no value of a label`, value.paths);
    return [name, value.filled];
  });
  const tag = rule.compliance_tag === undefined ? null : fill(rule.compliance_tag);
  if (tag !== null && !complianceTagPattern.test(tag.filled))
    refuse(`claim ${tag.paths.join(' and ')} is no compliance tag`, tag.paths);
  return {
    identity: identity.name,
    rule: rule.name,
    agent,
    labels: Object.fromEntries(labels),
    complianceTag: tag?.filled ?? null,
    workload: JSON.stringify(used),
  };
}
