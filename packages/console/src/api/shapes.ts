import type { components } from './schema.d.ts';

type Schemas = components['schemas'];

/** The API's objects under the names that the screens use. */
export type Agent = Schemas['ListedAgent'];
export type AgentOverview = Schemas['AgentOverview'];
export type AuditEntry = Schemas['AuditEntry'];
export type AgentBudget = Schemas['AgentBudget'];
export type Budget = Schemas['Budget'];
export type EventDetail = Schemas['EventDetail'];
export type ListedEvent = Schemas['ListedEvent'];
export type StreamEvent = Schemas['StreamEvent'];
export type Refusal = Schemas['Refusal'];
export type StoredPolicy = Schemas['StoredPolicy'];
export type Session = Schemas['Session'];
export type Status = Schemas['Status'];
export type UsageEntry = Schemas['CostUsageEntry'];
export type AgentStatus = Schemas['AgentStatus'];
