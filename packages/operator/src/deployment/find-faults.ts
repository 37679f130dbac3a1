import { isIP } from 'node:net';
import { findStrangeVariables } from '@agp/runtime';
import { findRefused } from './check-variables.ts';
import type { Installation } from './read-installation.ts';
import { type SettingName, settings } from './settings.ts';

/** Days that a law asks records to be kept for, by the word that RETENTION_BY_LAW has for it. */
const laws: Record<string, number> = {
  none: 0,
  // Article 26(6): logs of systems of high risk at least six months, from 2 December 2027.
  'eu-ai-act': 183,
};

const controllers = ['ingress', 'ingress-nginx', 'ingress-haproxy', 'ingress-traefik'];
const ways = [...controllers, 'gateway'];
const managementWays = ['ingress-management', 'gateway-management'];
const placeholder = /example\.(?:com|org|net|internal)\b|\b192\.0\.2\.\d/;
/** Settings that may be empty. */
const optional = new Set(['NO_PROXY']);
/** Settings that nothing asks for in a copy of 0.3.0. */
const added = new Set(['INSTANCE', 'RETENTION_DAYS', 'RETENTION_BY_LAW']);

const isPort = (text: string) => /^\d+$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
function isNetwork(text: string): boolean {
  const [address = '', bits = ''] = text.split('/');
  const family = isIP(address);
  return family !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** What a setting's value has to be, by the end of its name. */
function findShapeFault(name: string, text: string): string | null {
  if (name.endsWith('_PORT') && !isPort(text)) return 'is no port';
  if (name.endsWith('_NETWORK') && !isNetwork(text)) return 'is no subnet such as 10.0.0.0/24';
  if (name.endsWith('_HOST') && !/^[a-z0-9.-]+(?:,[a-z0-9.-]+)*$/i.test(text))
    return 'is no name of a host, without scheme and port';
  if (name === 'REGISTRY' && /:\/\/|\/$/.test(text)) return 'is a registry and a path, without scheme';
  if (name === 'INSTANCE' && !/^[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(text))
    return 'is no word of small letters, digits and hyphens';
  return null;
}

function* checkSettings(installation: Installation): Generator<string> {
  const { settings: given, parts, nameOf, replaced } = installation;
  for (const name of given.keys())
    if (!(name in settings)) yield `${name}: is no setting; k8s/overlays/example/settings/settings.env has all`;
  for (const [name, setting] of Object.entries(settings)) {
    const isUsed = !('parts' in setting) || setting.parts.some((part) => parts.includes(part));
    const text = given.get(name);
    if (!isUsed || replaced.has(name)) continue;
    if (text === undefined && added.has(name) && installation.overlay?.hasReplacementsFile === false) continue;
    if (text === undefined) yield `${nameOf(name)}: is missing`;
    else if (text === '' && !optional.has(name)) yield `${nameOf(name)}: is empty`;
    else if (placeholder.test(text)) yield `${nameOf(name)}: ${text} is the example's, not yours`;
    else if (text !== '') {
      const fault = findShapeFault(name, text);
      if (fault !== null) yield `${nameOf(name)}: ${text} ${fault}`;
    }
  }
  for (const [place, text] of installation.texts)
    if (placeholder.test(text)) yield `${place}: ${text} is the example's, not yours`;
}

function* checkParts({ parts, partOf, settings: given, nameOf, overlay }: Installation): Generator<string> {
  const has = (part: string) => parts.includes(part);
  const named = (list: string[]) => list.filter(has).map(partOf).join(', ');
  for (const part of new Set(parts.filter((each, place) => parts.indexOf(each) !== place)))
    yield `${partOf(part)}: is there twice`;
  if (ways.filter(has).length > 1) yield `${named(ways)}: one of them`;
  if (managementWays.filter(has).length > 1) yield `${named(managementWays)}: one of them`;
  if (!ways.some(has) && !has('in-cluster-agents'))
    yield `${['ingress-nginx', 'gateway', 'in-cluster-agents'].map(partOf).join(', ')}: without one no agent reaches the proxy`;
  if (has('http01') && !controllers.some(has) && overlay !== null)
    yield `${partOf('http01')}: is for certificates of an Ingress, and there is none`;
  for (const file of has('keda') ? (overlay?.scalersOfWriter ?? []) : [])
    yield `${partOf('keda')}: ${file} scales writers too`;
  const same = (one: SettingName, other: SettingName) => given.get(one) === given.get(other) && given.get(one);
  if (has('ingress-management') && controllers.some(has) && same('API_CLASS', 'INGRESS_CLASS'))
    yield `${nameOf('API_CLASS')}: is the class that serves the public`;
  if (managementWays.some(has) && ways.some(has) && same('API_HOST', 'AGENTS_HOST'))
    yield `${nameOf('API_HOST')}: is the host that agents call`;
  if (has('keda') && given.get('NATS_MONITORING')?.endsWith(`:${given.get('NATS_PORT')}`))
    yield `${nameOf('NATS_MONITORING')}: has the port of clients, ${nameOf('NATS_PORT')}; that of monitoring is 8222`;
  if (has('egress-proxy'))
    yield* checkEgress(given.get('EGRESS_PROXY') ?? '', given.get('EGRESS_PROXY_PORT') ?? '', nameOf);
}

function* checkEgress(text: string, port: string, nameOf: Installation['nameOf']): Generator<string> {
  const name = nameOf('EGRESS_PROXY');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (text === '') return;
  if (url === null || !/^https?:$/.test(url.protocol)) yield `${name}: is no URL such as http://egress.acme.test:3128`;
  else {
    const own = url.port || (url.protocol === 'http:' ? '80' : '443');
    if (own !== port) yield `${nameOf('EGRESS_PROXY_PORT')}: ${port} is not the port ${own} of ${name}`;
    if (url.password !== '') yield `${name}: has a password, which would stand in a ConfigMap`;
  }
}

function* checkVariables({
  parts,
  variables,
  settings: given,
  nameOf,
  partOf,
  overlay,
}: Installation): Generator<string> {
  const has = (part: string) => parts.includes(part);
  const { proxy = {}, management = {}, maintain = {} } = variables;
  const nameIn = (service: string, variable: string) => (overlay === null ? `${service}.config.${variable}` : variable);
  for (const [service, own] of Object.entries(variables)) {
    for (const name of findStrangeVariables(own)) yield `${nameIn(service, name)}: nothing reads this variable`;
    for (const [name, fault] of findRefused(service, own)) yield `${nameIn(service, name)}: ${fault}`;
  }
  const daysKept = maintain.RETENTION_DAYS ?? given.get('RETENTION_DAYS') ?? '';
  if (maintain.RETENTION_DAYS === undefined)
    for (const [name, fault] of findRefused('maintain', { RETENTION_DAYS: daysKept }))
      yield `${nameOf(name)}: ${fault}`;
  const origin = management.CONSOLE_ORIGIN;
  const originName = nameIn('management', 'CONSOLE_ORIGIN');
  const hasHost = managementWays.some(has);
  if (hasHost && origin === undefined) yield `${originName}: is missing; it is https://${given.get('API_HOST')}`;
  if (origin !== undefined && hasHost && origin !== `https://${given.get('API_HOST')}`)
    yield `${originName}: ${origin} is not the host ${nameOf('API_HOST')}, ${given.get('API_HOST')}`;
  for (const variable of has('oidc') ? ['OIDC_ISSUER', 'OIDC_CLIENT_ID'] : [])
    if (!management[variable]) yield `${nameIn('management', variable)}: is missing, and ${partOf('oidc')} is there`;
  if (management.OIDC_ISSUER && !has('oidc'))
    yield `${partOf('oidc')}: is missing, without it nothing reaches OIDC_ISSUER`;
  for (const [name, text] of Object.entries(proxy)) {
    if (/^PROVIDER_\w+_API_KEY$/.test(name))
      yield `${nameIn('proxy', name)}: would stand in a ConfigMap: give ${name}_FILE, and the key to agp-provider-keys`;
    if (/^PROVIDER_\w+_API_KEY_FILE$/.test(name) && !/^\/run\/secrets\/providers\/[\w.-]+$/.test(text))
      yield `${nameIn('proxy', name)}: is no file of /run/secrets/providers, where agp-provider-keys is`;
  }
  const keys = Object.keys(proxy).filter((variable) => /^PROVIDER_\w+_API_KEY(?:_FILE)?$/.test(variable));
  if (proxy.AGENT_IDENTITY === 'open' && keys.length > 0 && proxy.ALLOW_OPEN_PROVIDER_KEYS !== 'true')
    yield `${nameIn('proxy', 'AGENT_IDENTITY')}: with open whoever reaches the proxy uses ${keys.join(', ')}`;
  const trust = nameIn('proxy', 'TRUST_PROXY');
  if (has('in-cluster-agents')) {
    if (ways.some(has) && !proxy.TRUST_PROXY?.includes('/'))
      yield `${trust}: agents in the cluster beside an ingress: it must be the networks of the controller's pods${overlay ? ', by a patch' : ''}`;
    if (!ways.some(has) && (proxy.TRUST_PROXY ?? '0') !== '0')
      yield `${trust}: must be 0, agents call the proxy themselves`;
  }
  const law = given.get('RETENTION_BY_LAW') ?? 'none';
  const days = Number(daysKept);
  const least = laws[law];
  if (least === undefined) yield `${nameOf('RETENTION_BY_LAW')}: ${law} is none of ${Object.keys(laws).join(', ')}`;
  else if (days > 0 && days < least)
    yield `${nameOf('RETENTION_DAYS')}: ${days} is less than the ${least} days that ${law} asks for`;
}

function* checkOverlay({ overlay, parts, settings: given, namespace }: Installation): Generator<string> {
  if (overlay === null) return;
  const place = parts.indexOf('settings');
  if (place === -1) yield 'components: settings is missing, so nothing has its values';
  if (!overlay.hasReplacementsFile) {
    const late = parts.slice(place + 1).filter((part) => part !== 'create-roles');
    if (place >= 0 && late.length > 0)
      yield `components: ${late.join(', ')} must stand before settings, or take over settings/replacements.yaml of the example`;
  } else if (!overlay.replacements.some(({ path }) => path === 'settings/replacements.yaml'))
    yield 'replacements: settings/replacements.yaml is missing, so components do not have their values';
  const instance = given.get('INSTANCE') ?? 'agp';
  const prefix = instance === 'agp' ? '' : `${instance}-`;
  if (overlay.namePrefix !== prefix)
    yield `namePrefix: is ${overlay.namePrefix || 'missing'}, and INSTANCE is ${instance}`;
  const isSelected = overlay.labels.some(
    ({ pairs, includeSelectors }) => pairs?.['app.kubernetes.io/instance'] === instance && includeSelectors === true,
  );
  if (prefix !== '' && !isSelected)
    yield `labels: app.kubernetes.io/instance: ${instance} with includeSelectors is missing`;
  const { operator } = overlay;
  if (operator && (operator.namespace ?? 'default') !== namespace)
    yield `operator/kustomization.yaml: its namespace is not ${namespace}`;
}

/** All that is missing in an installation or does not fit, each by the name of the setting or part, and a list of nothing if it is complete. */
export const findFaults = (installation: Installation): string[] => [
  ...installation.faults,
  ...[checkSettings, checkParts, checkVariables, checkOverlay].flatMap((check) => [...check(installation)]),
];

/** What two installations have in common that each needs for itself. */
export function findCollisions(one: Installation, other: Installation): string[] {
  const both = `${one.path}, ${other.path}`;
  const isNear = one.namespace !== null && one.namespace === other.namespace;
  const instances = [one, other].map(({ settings: given }) => given.get('INSTANCE') ?? 'agp');
  const faults: string[] = [];
  if (isNear && instances[0] === instances[1])
    faults.push(
      `${both}: both are INSTANCE=${instances[0]} of the namespace ${one.namespace}: one would replace the other`,
    );
  else if (isNear && instances.includes('agp'))
    faults.push(
      `${both}: in one namespace, ${one.namespace}, INSTANCE=agp selects the other's pods too: give each a word`,
    );
  const own = {
    AGENTS_HOST: 'agents',
    API_HOST: 'the management API',
    POSTGRES_HOST: 'its roles',
    NATS_HOST: 'its stream',
    REDIS_HOST: 'its keys',
  };
  for (const [name, what] of Object.entries(own)) {
    const [a, b] = [one, other].map(({ settings: given }) => given.get(name));
    const { parts: needed } = settings[name as SettingName] as { parts?: readonly string[] };
    const isUsed = [one, other].every(({ parts }) => !needed || needed.some((part) => parts.includes(part)));
    if (a && a === b && isUsed)
      faults.push(`${both}: ${one.nameOf(name)} is ${a} in both, and ${what} can be one's alone`);
  }
  return faults;
}
