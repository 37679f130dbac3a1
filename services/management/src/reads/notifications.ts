import { randomBytes } from 'node:crypto';
import {
  ruleSchema,
  type ShownTarget,
  type StoredRule,
  type StoredTarget,
  secretNames,
  type Target,
  type TargetChange,
} from '@agp/alerts';
import { ApiError } from '@agp/core/errors';
import { countDeliveries, countOpenAlerts, type Db, type DocumentRow } from '@agp/db';
import type { ManagementConfig } from '@agp/settings';
import { presentRow } from '../presenters.ts';

/** Without those that only a later version can read, which keep what they have open. */
export async function presentRules(db: Db, rows: readonly DocumentRow<'rule'>[]): Promise<StoredRule[]> {
  const open = await countOpenAlerts(db);
  return rows.flatMap(({ id, version, rule: stored, text, created_at, updated_at }) => {
    const { data: rule } = ruleSchema.safeParse(stored);
    if (rule === undefined) return [];
    const head = { ...presentRow({ id, version }, 'nru'), rule, text, open_count: open.get(id) ?? 0 };
    return [{ ...head, ...presentRow({ created_at, updated_at }) }];
  });
}

const nothing = { waiting: 0, dead: 0, error: null };

export async function presentTargets(db: Db, rows: readonly DocumentRow<'target'>[]): Promise<StoredTarget[]> {
  const counts = await countDeliveries(db);
  return rows.map(({ id, version, target, disabled_at, disabled_because, created_at, updated_at }) => {
    const { waiting, dead, error } = counts.get(id) ?? nothing;
    return {
      ...presentRow({ id, version }, 'ntg'),
      target: target as unknown as ShownTarget,
      disabled: disabled_at && { since: disabled_at.toISOString(), because: disabled_because ?? '' },
      ...{ waiting_count: waiting, dead_count: dead, last_error: error },
      ...presentRow({ created_at, updated_at }),
    };
  });
}

type Allowed = Pick<ManagementConfig, 'notificationAllowedHosts'>;

/** @throws ApiError for plain HTTP to a host that the setting does not name */
function assureSafe(members: Readonly<Record<string, unknown>>, { notificationAllowedHosts: allowed }: Allowed): void {
  for (const [name, value] of Object.entries(members)) {
    if (!/^urls?$/.test(name)) continue;
    for (const text of [value].flat() as string[]) {
      const { protocol, host } = new URL(text);
      if (protocol === 'https:' || allowed.includes(host)) continue;
      throw new ApiError(
        'invalid_parameter',
        `${name}: must have https, unless NOTIFICATION_ALLOWED_HOSTS has ${host}`,
      );
    }
  }
}

/** What is shown of a target and what is not, apart. */
function split(written: Target | TargetChange) {
  const members = Object.entries(written).filter(([, value]) => value !== undefined);
  const isSecret = ([name]: [string, unknown]) => secretNames(written.kind).includes(name);
  return {
    shown: Object.fromEntries(members.filter((each) => !isSecret(each))),
    secrets: Object.fromEntries(members.filter(isSecret)) as Record<string, string>,
  };
}

const hostOf = ({ url }: Readonly<Record<string, string>>) => (url === undefined ? null : new URL(url).host);

/** A target to store, and the secret that was made for it, once, if it was given none. @throws ApiError for plain HTTP */
export function makeTarget(written: Target, config: Allowed) {
  assureSafe(written, config);
  const { shown, secrets } = split(written);
  const isMade = written.kind === 'webhook' && secrets.secret === undefined;
  const secret = isMade ? `whsec_${randomBytes(32).toString('base64')}` : null;
  const all = secret === null ? secrets : { ...secrets, secret };
  return { document: { ...shown, name: written.name, host: hostOf(secrets) }, secrets: all, shownOnce: { secret } };
}

/** How long messages are signed with the last secret too, in milliseconds. */
const overlapMs = 86_400_000;

const originsOf = (target: unknown) => ((target as { urls?: string[] }).urls ?? []).map((url) => new URL(url).origin);

/**
 * A target that takes the place of another: secrets that are not given stay, unless they would go to another host.
 * @throws ApiError for plain HTTP, another kind, or a secret that is missing
 */
export function mergeTarget(before: DocumentRow<'target'>, written: TargetChange, config: Allowed) {
  if ((before.target as Record<string, unknown>).kind !== written.kind)
    throw new ApiError('invalid_parameter', 'kind: cannot be changed: make another target');
  assureSafe(written, config);
  const { shown, secrets } = split(written);
  const old = (before.secrets ?? {}) as Record<string, string>;
  const isElsewhere = originsOf(written).some((origin) => !originsOf(before.target).includes(origin));
  if (isElsewhere && old.authorization !== undefined && secrets.authorization === undefined)
    throw new ApiError('invalid_parameter', 'authorization: must be given again, since it would go to another host');
  const isRotated = written.kind === 'webhook' && secrets.secret !== undefined && secrets.secret !== old.secret;
  const previous = isRotated && { previous: old.secret as string, previous_until: `${Date.now() + overlapMs}` };
  const all = { ...old, ...secrets, ...previous };
  const host = hostOf(written.kind === 'webhook' ? {} : all);
  return { document: { ...shown, name: written.name, host }, secrets: all };
}
