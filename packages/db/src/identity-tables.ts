import type { ColumnType, Generated } from 'kysely';
import type { DefaultTimestamp, Timestamp } from './column-types.ts';

/** Issuers of workload identities, whose names are claimed, and the tokens that prove them. */
export interface IdentityTables {
  identities: {
    id: string;
    name: string;
    version: Generated<number>;
    identity: ColumnType<unknown, string, string>;
    /** As it was written; null if it was JSON. */
    text: string | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  claimed_names: {
    name: string;
    claimed_at: DefaultTimestamp;
    /** Whose name it is; the issuer may be gone. Null if it is of those who have a token for it. */
    identity_id: string | null;
    /** The claims that make the name; null until the workload's first request. */
    workload: string | null;
    /** The agent that a workload with this name is, if the agent's own name is another. */
    agent_id: string | null;
  };
  agent_tokens: {
    id: string;
    agent_name: string;
    secret_sha256: Buffer;
    created_at: DefaultTimestamp;
    expires_at: Timestamp | null;
  };
  exchanged_tokens: {
    id: string;
    agent_name: string;
    secret_sha256: Buffer;
    identity_id: string;
    /** The issuer's when it was made: with any other it works no more. */
    identity_version: number;
    created_at: DefaultTimestamp;
    expires_at: Timestamp;
  };
}
