import type { Alert, Delivery, StoredRule, StoredTarget } from '@agp/alerts';
import { auditActions } from '@agp/core/audit';
import type {
  AgentToken,
  ApiKey,
  ClaimedName,
  DoubtfulUsage,
  ListedAgent,
  ListedAuditEntry,
  ListedEvent,
  ModelPrice,
  Refusal,
  Session,
  UnpricedModel,
  UnrecordedRequest,
} from '@agp/core/contracts';
import type { StoredIdentity } from '@agp/identities';
import type { StoredPolicy } from '@agp/policy';
import { expect } from 'vitest';
import type { Scene } from '../../../packages/local-stack/src/demo/scene.ts';
import { invoiceScreen } from './invoice-screen.ts';
import { nowScreen } from './now-screen.ts';
import {
  agentScreen,
  budgetsScreen,
  costsScreen,
  eventScreen,
  oneScreen,
  policyScreen,
  providersScreen,
  type Screen,
  sessionScreen,
} from './screens-of-sums.ts';
import * as shown from './show-alerts.ts';
import * as rows from './show-rows.ts';

/** What people do, not what the services note. */
const changes = auditActions.filter((action) => !/^(?:request|events|console)\./.test(action)).join();

type ShownRow = Record<string, string>;

/** A screen that is one list: what the API answers at an address. */
const listAll = <Row>(path: string, label: string, query: string, show: (rows: Row[]) => ShownRow[]): Screen => ({
  path,
  expected: async (ask) => {
    const answer = await ask<Row[]>(query);
    expect(answer.length, path).toBeGreaterThan(0);
    return { tables: { [label]: show(answer) } };
  },
});

/** The same, a row for each. */
const list = <Row>(path: string, label: string, query: string, show: (row: Row) => ShownRow): Screen =>
  listAll<Row>(path, label, query, (answer) => answer.map(show));

/** Every screen that shows what is stored, filters and pages too. */
export function listScreens({ eventId, sessionId, agentId, refusedId, policyId }: Scene): Screen[] {
  const events = (path: string, query: string) =>
    list<ListedEvent>(path, 'Events', `/api/v1/events?expand=agent,outcome&limit=50${query}`, rows.showEvent);
  const alerts = (path: string, query: string) =>
    list<Alert>(path, 'Alerts', `/api/v1/alerts?limit=50${query}`, shown.showAlert);
  const refusals = (path: string, query: string) =>
    listAll<Refusal>(path, 'Refused requests', `/api/v1/refusals?limit=50${query}`, rows.showRefusals);
  const sessions = (path: string, query: string) =>
    list<Session>(path, 'Sessions', `/api/v1/sessions?expand=names,failures&limit=50${query}`, rows.showSession);
  const agents = (path: string, query: string) =>
    list<ListedAgent>(path, 'Agents', `/api/v1/agents?expand=usage${query}`, rows.showAgent);
  const audit = (path: string, query: string) =>
    list<ListedAuditEntry>(
      path,
      'Entries of the audit log',
      `/api/v1/audit?expand=agent&limit=50${query}`,
      rows.showEntry,
    );
  return [
    nowScreen,
    providersScreen,
    oneScreen('provider', 'demo'),
    oneScreen('model', 'gpt-5-mini'),
    alerts('/alerts', '&state=unresolved'),
    alerts('/alerts?state=all&rule=blocks-and-pauses', '&rule=blocks-and-pauses'),
    list<StoredRule>('/alerts/rules', 'Rules of alerts', '/api/v1/notification-rules', shown.showRule),
    list<StoredTarget>(
      '/alerts/rules?view=targets',
      'Targets of alerts',
      '/api/v1/notification-targets',
      shown.showTarget,
    ),
    list<Delivery>(
      '/alerts/rules?view=dead',
      'Messages that were given up',
      '/api/v1/notification-deliveries?state=dead',
      shown.showDelivery,
    ),
    events('/events', ''),
    events('/events?failed=true', '&failed=true'),
    events(`/events?agent_id=${agentId}&from=7d&pii_type=email`, `&agent_id=${agentId}&from=7d&pii_type=email`),
    eventScreen(eventId),
    refusals('/refusals', ''),
    refusals('/refusals?reason=agent_blocked', '&reason=agent_blocked'),
    refusals(`/find?id=${refusedId}`, `&request_id=${refusedId}`),
    sessions('/sessions', ''),
    sessions('/sessions?failed=true', '&failed=true'),
    sessions(`/sessions?agent_id=${agentId}&from=today`, `&agent_id=${agentId}&from=today`),
    sessionScreen(sessionId),
    agents('/agents', '&order=cost'),
    agents('/agents?status=blocked', '&order=cost&status=blocked'),
    agents('/agents?search=o&order=name', '&order=name&search=o'),
    agentScreen(agentId),
    list<StoredPolicy>('/policies', 'Policies', '/api/v1/policies?expand=hits', rows.showPolicy),
    policyScreen(policyId),
    budgetsScreen,
    costsScreen('model', 'Model'),
    costsScreen('agent', 'Agent'),
    invoiceScreen,
    list<UnpricedModel>('/costs?view=unpriced', 'Models without a price', '/api/v1/costs/unpriced', rows.showUnpriced),
    list<ModelPrice>(
      '/costs?view=prices&search=gpt-4o-mini',
      'Prices of models',
      '/api/v1/prices?search=gpt-4o-mini',
      rows.showPrice,
    ),
    list<DoubtfulUsage>(
      '/costs?view=doubtful',
      'Calls whose figures are in doubt',
      '/api/v1/costs/doubtful',
      rows.showDoubt,
    ),
    list<UnrecordedRequest>(
      '/costs?view=unrecorded',
      'Requests without an event',
      '/api/v1/costs/unrecorded',
      rows.showUnrecorded,
    ),
    audit('/audit', `&action=${changes}`),
    listAll<ListedAuditEntry>(
      '/audit?action=request.refused',
      'Entries of the audit log',
      '/api/v1/audit?expand=agent&limit=50&action=request.refused',
      rows.showRefusedMinutes,
    ),
    audit(`/audit?policy_id=${policyId}`, `&policy_id=${policyId}&action=${changes}`),
    audit(`/audit?agent_id=${agentId}&action=budget.agent.set`, `&agent_id=${agentId}&action=budget.agent.set`),
    list<ApiKey>('/keys', 'API keys', '/api/v1/keys', rows.showKey),
    list<AgentToken>('/keys?view=tokens', 'Agent tokens', '/api/v1/agent-tokens', rows.showToken),
    list<StoredIdentity>('/identities', 'Identities', '/api/v1/identities', rows.showIdentity),
    list<ClaimedName>('/keys?view=names', 'Claimed names', '/api/v1/claimed-names', rows.showName),
  ];
}
