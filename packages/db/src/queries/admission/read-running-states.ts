import type { Pool } from 'pg';

/** Which running requests must be stopped. */
export interface RunningState {
  paused: boolean;
  /** UUIDs. */
  blocked: Set<string>;
}

/** Looks at the agents whose requests run right now, in one statement. */
export async function readRunningStates(pool: Pool, agentIds: readonly string[]): Promise<RunningState> {
  const { rows } = await pool.query<{ paused: boolean; id: string | null }>({
    name: 'read-running-states',
    text: `SELECT control.paused, agents.id FROM control
           LEFT JOIN agents ON agents.id = ANY($1) AND agents.status = 'blocked'`,
    values: [agentIds],
  });
  return {
    paused: rows[0]?.paused ?? false,
    blocked: new Set(rows.flatMap(({ id }) => (id === null ? [] : [id]))),
  };
}
