import { isDeepStrictEqual } from 'node:util';
import type { Alert, Delivery } from '@agp/alerts';
import {
  type AgentBudget,
  type AgentEvent,
  type ApiKey,
  type AuditLink,
  type Budget,
  type ChainedDetail,
  chainedDetailSchema,
  consoleRoleSchema,
  type consoleSessionListSchema,
  type Event,
  type EventDetail,
  eventSchema,
  type ListedAgent,
  type ListedAuditEntry,
  type ListedEvent,
  labelOf,
  type Scope,
  type Session,
  type SessionEvent,
  type StreamEvent,
  type UnrecordedRequest,
  type UsageGroup,
  unchainedNames,
  unrecordedReasonSchema,
} from '@agp/core/contracts';
import type { AnnouncedEvent } from '@agp/core/events';
import { nameMonth } from '@agp/core/explain';
import { type IdPrefix, toPublicId, uuidTime } from '@agp/core/ids';
import { parseJson } from '@agp/core/json';
import { readLabels } from '@agp/core/labels';
import { hashLink } from '@agp/core/lineage';
import { escapeJson } from '@agp/core/text';
import type {
  AgentBudgetRow,
  AlertRow,
  ApiKeyRow,
  AuditChainRow,
  AuditRow,
  BudgetRow,
  ConsoleSessionRow,
  DeliveryRow,
  EventDetailRow,
  EventRow,
  ListedAgentRow,
  SessionRow,
  UnrecordedRow,
  UsageRow,
} from '@agp/db';
import { type ChainedColumn, chainedColumns, type LinkedEventRow } from '@agp/db';
import type { z } from 'zod';

/** As JSON, with characters that control a terminal by number: agents choose names of tools, and their own. */
export const writeJson = (value: unknown): string => escapeJson(JSON.stringify(value));

type Presented<Row> = {
  [Name in keyof Row]: Row[Name] extends Date ? string : Row[Name] extends Date | null ? string | null : Row[Name];
};

const references: Record<string, IdPrefix> = {
  agent_id: 'agt',
  alert_id: 'alr',
  event_id: 'evt',
  ended_by_event_id: 'evt',
};

/**
 * A row as the API shows it: times in ISO 8601, UUIDs as public ids, all else as stored. Queries name their columns as the contract names
 * its members. Without a `prefix` the column `id` is no UUID.
 */
export function presentRow<Row extends object>(row: Row, prefix?: IdPrefix): Presented<Row> {
  const present = (name: string, value: unknown) => {
    if (value instanceof Date) return value.toISOString();
    const reference = name === 'id' ? prefix : references[name];
    return reference !== undefined && typeof value === 'string' ? toPublicId(reference, value) : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, present(name, value)])) as Presented<Row>;
}

export function presentApiKey({ previous_expires_at: previousEnd, ...row }: ApiKeyRow): ApiKey {
  const previousWorks = previousEnd !== null && previousEnd.getTime() > Date.now();
  return {
    ...presentRow(row, 'key'),
    scopes: row.scopes as Scope[],
    previous_secret_expires_at: previousWorks ? previousEnd.toISOString() : null,
  };
}

export function presentAuditEntry(row: AuditRow): ListedAuditEntry {
  if (!row.sealed) return { ...row.entry, id: null, seq: null, lineage_hash: null, reason: null } as ListedAuditEntry;
  const { v: _, ...members } = parseJson(row.payload) as ListedAuditEntry & { v: number };
  return { ...members, reason: members.reason ?? null, lineage_hash: row.lineageHash };
}

export function presentAuditLink({ seq, id, lineage_hash, payload }: AuditChainRow): AuditLink {
  return presentRow({ seq, id, lineage_hash, payload }, 'aud');
}

export function presentBudget({ daily_cap_usd, spent_usd, reserved_usd, remaining_usd, warn_only }: BudgetRow): Budget {
  return { daily_cap_usd, spent_usd, reserved_usd, remaining_usd, ...(warn_only && { warn_only }) };
}

const listLabels = (metadata: Readonly<Record<string, unknown>>): string[] =>
  readLabels(metadata).map(([name, value]) => `${name}=${value}`);

export function presentAgentBudget({
  agent_id,
  agent_name,
  metadata,
  no_room_since,
  ...row
}: AgentBudgetRow): AgentBudget {
  const head = presentRow({ agent_id, agent_name, no_room_since });
  return { ...head, labels: listLabels(metadata), ...presentBudget(row) };
}

/** Labels stand together; in CSV each has a column of its own. */
export function presentUsage(row: UsageRow): object {
  const [labels = [], others = []] = [true, false].map((isLabel) =>
    Object.entries(row).filter(([name]) => name.startsWith('label:') === isLabel),
  );
  const read = labels.map(([name, value]) => [labelOf(name as UsageGroup), value || null]);
  return presentRow({ ...Object.fromEntries(others), ...(labels.length > 0 && { labels: Object.fromEntries(read) }) });
}

/** As the customer's document has it, or with what was asked for beside it. */
export const presentSession =
  (withNames: boolean) =>
  ({ metadata, name, ...row }: SessionRow): Session => ({
    ...presentRow(row),
    ...(withNames && { name, labels: listLabels(metadata) }),
  });

export function presentConsoleSession(row: ConsoleSessionRow): z.infer<typeof consoleSessionListSchema>[number] {
  return {
    id: toPublicId('con', row.id),
    kind: row.key_sha256 === null ? 'oidc' : 'api_key',
    name: row.name,
    role: consoleRoleSchema.parse(row.role),
    match: row.match,
    source_ip: row.source_ip,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

/** Empty for a payload that somebody broke. */
function readPayload(text: string): Record<string, unknown> {
  try {
    const payload = parseJson(text);
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Columns that the payload has too; `lineage_hash` covers it and is no member. */
const shownNames = Object.keys(eventSchema.shape).filter((name) => name !== 'lineage_hash') as (keyof Event)[];

/** What a row shows otherwise than its payload, which the hash covers. */
export function listAltered(
  { seq, payload: _, ...stored }: LinkedEventRow,
  payload: Record<string, unknown>,
): string[] {
  const row = presentRow(stored, 'evt');
  // A payload of version 1 has no member for what no policy decided.
  // Version 2 does not cover what a rule of data found.
  const covered = { ...row, decision: row.decision?.map(({ found: _, ...decision }) => decision) };
  const differs = (name: keyof Event | ChainedColumn) =>
    !isDeepStrictEqual(covered[name] ?? null, payload[name] ?? null);
  return [...[...shownNames, ...chainedColumns].filter(differs), ...(payload.seq === seq ? [] : ['seq'])];
}

export function presentEventDetail(detail: EventDetailRow): EventDetail {
  const { payload: text, previous_hash, seq, ...stored } = detail;
  const row = presentRow(stored, 'evt');
  const payload = readPayload(text);
  const chained = Object.fromEntries(
    Object.entries(chainedDetailSchema.shape).map(([name, schema]) => [
      name,
      schema.safeParse(payload[name]).data ?? null,
    ]),
  ) as ChainedDetail;
  return {
    ...chained,
    ...row,
    not_chained: [...unchainedNames],
    chain: {
      seq,
      previous_hash,
      hash_matches: previous_hash === null ? null : hashLink(previous_hash, text) === row.lineage_hash,
      altered: listAltered(detail, payload),
      payload: text,
    },
  } as EventDetail;
}

export const presentEvent = (row: EventRow): ListedEvent => presentRow(row, 'evt');

export function presentAgentEvent(row: EventRow): AgentEvent {
  const { direction, provider, total_tokens, pii_types, ...shown } = presentEvent(row);
  return shown;
}

export function presentSessionEvent(row: EventRow): SessionEvent {
  const { provider, ...shown } = presentEvent(row);
  return shown;
}

export function presentStreamEvent(event: AnnouncedEvent, agent_name?: string, withOutcome = false): StreamEvent {
  const { outcome, http_status, failure, ...shown } = event;
  return {
    ...shown,
    // Left out of the JSON if there are none, and else in its place.
    pii_types: shown.pii_types.length > 0 ? shown.pii_types : undefined,
    ...(agent_name !== undefined && { agent_name }),
    ...(withOutcome && { outcome, http_status, failure }),
  };
}

export function presentListedAgent({ last_event_id: last, ...row }: ListedAgentRow): ListedAgent {
  const seen = last === undefined ? {} : { last_seen_at: last && new Date(uuidTime(last)).toISOString() };
  return { ...presentRow(row, 'agt'), ...seen };
}

export function presentUnrecordedRequest(row: UnrecordedRow): UnrecordedRequest {
  // A later version may know reasons that this one does not.
  const { data: reason = 'unknown' } = unrecordedReasonSchema.safeParse(row.reason);
  const { cost_usd, reason: _, noted_at, ...request } = presentRow(row);
  const started_at = new Date(uuidTime(row.event_id)).toISOString();
  // Quarantine keeps an event that was set aside.
  return { ...request, started_at, cost_usd, reason, outcome: reason === 'set_aside' ? null : 'lost', noted_at };
}

export function presentAlert({ id, agent_id, ...row }: AlertRow): Alert {
  const { opened_at, acknowledged_at, acknowledged_by, resolved_at } = row;
  return {
    id: toPublicId('alr', id),
    ...{ rule: row.rule, kind: row.kind, severity: row.severity },
    state: resolved_at !== null ? 'resolved' : acknowledged_at === null ? 'open' : 'acknowledged',
    ...{ title: row.title, detail: row.detail, path: row.path },
    ...presentRow({ agent_id }),
    reach: row.reach,
    ...presentRow({ opened_at, acknowledged_at, acknowledged_by, resolved_at }),
  };
}

export function presentDelivery({ id, target, alert_id, title, report, ...row }: DeliveryRow): Delivery {
  const { occasion, attempts, next_at, error, created_at, delivered_at, dead_at } = row;
  const state = delivered_at !== null ? 'delivered' : dead_at === null ? 'waiting' : 'dead';
  return {
    ...{
      ...presentRow({ id, target }, 'dlv'),
      ...presentRow({ alert_id }),
      title: title ?? (report ? `costs of ${nameMonth(report.month)}` : 'a test'),
      occasion,
      state,
    },
    ...presentRow({ attempts, next_at: state === 'waiting' ? next_at : null, error, created_at, delivered_at }),
  };
}
