import { compact, isTime, type RawSearch, readChoice, readPageNumber, readText } from './search.ts';

const agentOrders = ['cost', 'seen', 'name', 'created'] as const;
const agentStatuses = ['active', 'blocked', 'retired'] as const;

/** What the screen of agents shows: stands in its address. */
export interface AgentsSearch {
  search?: string | undefined;
  status?: (typeof agentStatuses)[number] | undefined;
  /** By today's cost where it is absent. */
  order?: (typeof agentOrders)[number] | undefined;
  page?: number | undefined;
}

export function readAgentsSearch(raw: RawSearch): AgentsSearch {
  return compact({
    search: readText(raw, 'search'),
    status: readChoice(raw, 'status', agentStatuses),
    order: readChoice(raw, 'order', agentOrders),
    page: readPageNumber(raw),
  });
}

/** Which entries of the audit log are shown: stands in the address. */
export interface AuditSearch {
  agent_id?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  page?: number | undefined;
}

export function readAuditSearch(raw: RawSearch): AuditSearch {
  const [from, to] = [readText(raw, 'from'), readText(raw, 'to')];
  return compact({
    agent_id: readText(raw, 'agent_id'),
    action: readText(raw, 'action'),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    page: readPageNumber(raw),
  });
}

export const costViews = ['usage', 'unpriced', 'doubtful', 'unrecorded'] as const;
export const costGroups = ['model', 'agent', 'provider', 'tag'] as const;

export type CostGroup = (typeof costGroups)[number];

const mostGroups = 2;
const isGroup = (name: string): name is CostGroup => (costGroups as readonly string[]).includes(name);

/** One or two groups as they stand in an address, `tag,model`; by model for anything else. */
export function listGroups(by: string | undefined): CostGroup[] {
  const names = by?.split(',', mostGroups + 1) ?? [];
  const isKnown = names.every(isGroup) && new Set(names).size === names.length;
  return isKnown && names.length > 0 && names.length <= mostGroups ? (names as CostGroup[]) : ['model'];
}

/** Which costs are shown: stands in the address. */
export interface CostsSearch {
  /** `usage` where it is absent. */
  view?: (typeof costViews)[number] | undefined;
  /** One or two of {@link costGroups} with a comma between them; `model` where it is absent. */
  by?: string | undefined;
  /** The last 7 days where neither is there. */
  from?: string | undefined;
  to?: string | undefined;
  agent_id?: string | undefined;
}

export function readCostsSearch(raw: RawSearch): CostsSearch {
  const [from, to, by] = [readText(raw, 'from'), readText(raw, 'to'), readText(raw, 'by')];
  return compact({
    view: readChoice(raw, 'view', costViews),
    by: by === undefined ? undefined : listGroups(by).join(','),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    agent_id: readText(raw, 'agent_id'),
  });
}

export const outcomes = ['completed', 'failed', 'aborted', 'killed'] as const;

/** Which events are shown: stands in the address. The names are those of the API. */
export interface EventsSearch {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  compliance_tag?: string | undefined;
  pii_type?: string | undefined;
  outcome?: (typeof outcomes)[number] | undefined;
  failed?: true | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

function readTime(raw: RawSearch, name: string): string | undefined {
  const text = readText(raw, name);
  return text !== undefined && isTime(text) ? text : undefined;
}

export function readEventsSearch(raw: RawSearch): EventsSearch {
  return compact({
    agent_id: readText(raw, 'agent_id'),
    session_id: readText(raw, 'session_id'),
    model: readText(raw, 'model'),
    provider: readText(raw, 'provider'),
    compliance_tag: readText(raw, 'compliance_tag'),
    pii_type: readText(raw, 'pii_type'),
    outcome: readChoice(raw, 'outcome', outcomes),
    failed: readText(raw, 'failed') === 'true' ? (true as const) : undefined,
    from: readTime(raw, 'from'),
    to: readTime(raw, 'to'),
    cursor: readText(raw, 'cursor'),
  });
}

/** Which events the tail shows: stands in the address. */
export interface LiveSearch {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  /** Text that the model, the agent's name or the tag has in it. */
  text?: string | undefined;
  /** Only with personal data. */
  pii?: true | undefined;
}

export function readLiveSearch(raw: RawSearch): LiveSearch {
  return compact({
    agent_id: readText(raw, 'agent_id'),
    session_id: readText(raw, 'session_id'),
    text: readText(raw, 'text'),
    pii: readText(raw, 'pii') === 'true' ? (true as const) : undefined,
  });
}

/** Which refused requests are shown: stands in the address. */
export interface RefusalsSearch {
  agent_id?: string | undefined;
  reason?: string | undefined;
  from?: string | undefined;
  cursor?: string | undefined;
}

export function readRefusalsSearch(raw: RawSearch): RefusalsSearch {
  const from = readText(raw, 'from');
  return compact({
    agent_id: readText(raw, 'agent_id'),
    reason: readText(raw, 'reason'),
    from: from !== undefined && isTime(from) ? from : undefined,
    cursor: readText(raw, 'cursor'),
  });
}

/** Which sessions are shown: stands in the address. */
export interface SessionsSearch {
  agent_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

export function readSessionsSearch(raw: RawSearch): SessionsSearch {
  const [from, to] = [readText(raw, 'from'), readText(raw, 'to')];
  return compact({
    agent_id: readText(raw, 'agent_id'),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    cursor: readText(raw, 'cursor'),
  });
}
