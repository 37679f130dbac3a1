/** The columns of an event as it is shown. */
export const eventColumns = [
  'id',
  'agent_id',
  'session_id',
  'timestamp',
  'direction',
  'model',
  'provider',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cost_usd',
  'compliance_tag',
  'lineage_hash',
  'pii_detected',
  'pii_types',
] as const;

export interface EventRow {
  id: string;
  agent_id: string;
  session_id: string;
  timestamp: Date;
  direction: 'request' | 'response';
  model: string;
  provider: string;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cost_usd: number;
  compliance_tag: string;
  lineage_hash: string;
  pii_detected: boolean;
  pii_types: string[];
}
