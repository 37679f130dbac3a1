import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

const paths = [
  '/api/v1/agents',
  '/api/v1/events?limit=10',
  '/api/v1/costs/summary',
  '/api/v1/budgets',
  '/api/v1/sessions',
];
const everyMs = 50;

/** Asks for one thing after another on connections that it keeps, until it is told to stop. @returns how often, and what failed */
export async function askManagement(
  url: string,
  apiKey: string,
  signal: AbortSignal,
): Promise<{ count: number; failures: string[] }> {
  const dispatcher = new Agent({ connections: 4, keepAliveTimeout: 60_000 });
  const headers = { authorization: `Bearer ${apiKey}` };
  const failures: string[] = [];
  const asked: Promise<void>[] = [];
  const ask = async (path: string) => {
    try {
      const { statusCode, body } = await request(`${url}${path}`, { dispatcher, headers });
      const text = await body.text();
      if (statusCode !== 200) failures.push(`${path}: ${statusCode} ${text}`);
    } catch (error) {
      failures.push(`${path}: ${(error as Error).message}`);
    }
  };
  while (!signal.aborted) {
    asked.push(ask(paths[asked.length % paths.length] ?? ''));
    await sleep(everyMs);
  }
  await Promise.all(asked);
  await dispatcher.destroy();
  return { count: asked.length, failures };
}
