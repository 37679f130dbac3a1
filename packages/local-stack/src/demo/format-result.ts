import { toLineText } from '@agp/core/text';
import Table from 'cli-table3';
import type { DemoConfig } from './demo-config.ts';
import type { DemoResult } from './run-demo.ts';

const count = new Intl.NumberFormat('en');

function formatCost(usd: number): string {
  return usd.toFixed(6);
}

function toTable({ sent, costs }: DemoResult): string {
  const sessions = Map.groupBy(sent, ({ agentId }) => agentId);
  const table = new Table({
    head: ['agent', 'sessions now', 'requests', 'tokens in', 'tokens out', 'cost (USD)', 'models'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const entry of costs) {
    table.push([
      toLineText(entry.agent_name),
      count.format(new Set(sessions.get(entry.agent_id)?.map(({ sessionId }) => sessionId)).size),
      count.format(entry.request_count),
      count.format(entry.total_prompt_tokens),
      count.format(entry.total_completion_tokens),
      formatCost(entry.total_cost_usd),
      toLineText(entry.models_used.join(', ')),
    ]);
  }
  return table.toString();
}

/** The table of costs, and the way to the rest: the console, and commands to copy. @param consoleUrl address of the console */
export function formatResult(config: DemoConfig, result: DemoResult, consoleUrl: string): string {
  const { managementUrl, managementKey } = config;
  const curl = `curl -s -H "Authorization: Bearer $KEY"`;
  const [turn] = result.sent;
  const block = `-X PUT -H 'Content-Type: application/json' -d '{"status":"blocked"}'`;
  return `
Recorded since this database was made, for the agents above, from GET /api/v1/costs/breakdown:

${toTable(result)}

See it in a browser; the link works once, within ten minutes, and "npm run agp -- console link" makes another:

  ${consoleUrl}

Or from here, after KEY=${managementKey}

  the newest events         ${curl} '${managementUrl}/api/v1/events?limit=5'
  one session in order      ${curl} ${managementUrl}/api/v1/sessions/${turn?.sessionId}
  its chain of hashes       ${curl} ${managementUrl}/api/v1/lineage/${turn?.sessionId}
  events as they happen     ${curl.replace('-s', '-sN')} -H 'Accept: text/event-stream' ${managementUrl}/api/v1/events/stream
  stop an agent             ${curl} ${block} ${managementUrl}/api/v1/agents/${turn?.agentId}
  every endpoint            ${managementUrl}/docs
`;
}
