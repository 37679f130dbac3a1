import { parseJson } from '@agp/core/json';
import { z } from 'zod';
import { type DemoConfig, DemoNotReadyError, nothingAnswers } from './demo-config.ts';

const costEntry = z.object({
  agent_id: z.string(),
  agent_name: z.string(),
  total_cost_usd: z.number(),
  total_prompt_tokens: z.number(),
  total_completion_tokens: z.number(),
  request_count: z.number(),
  models_used: z.array(z.string()),
});

const event = z.object({ id: z.string() });

export type CostEntry = z.infer<typeof costEntry>;

/** The few reads of the management API that the demo needs. */
export interface ManagementClient {
  listCosts(): Promise<CostEntry[]>;
  /** Ids of the recorded events of a session. */
  listEventIds(sessionId: string): Promise<string[]>;
}

/** Each read throws DemoNotReadyError if the API does not answer or does not know the key. */
export function connectManagement({ managementUrl, managementKey }: DemoConfig): ManagementClient {
  async function get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> {
    let response: Response;
    try {
      response = await fetch(managementUrl + path, { headers: { authorization: `Bearer ${managementKey}` } });
    } catch {
      throw nothingAnswers(managementUrl);
    }
    if (response.status === 401) {
      throw new DemoNotReadyError(
        `${managementUrl} does not know this key. Set MANAGEMENT_API_KEY to the one it was started with.`,
      );
    }
    if (!response.ok) throw new DemoNotReadyError(`GET ${managementUrl}${path} answered ${response.status}.`);
    return schema.parse(parseJson(await response.text()));
  }
  return {
    listCosts: () => get('/api/v1/costs/breakdown', z.array(costEntry)),
    listEventIds: async (sessionId) => {
      const events = await get(`/api/v1/events/sessions/${sessionId}`, z.array(event));
      return events.map(({ id }) => id);
    },
  };
}
