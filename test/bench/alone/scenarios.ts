import { agentTokenPrefix } from '@agp/core/contracts';
import { chatRequest, streamRequest } from '../chat-call.ts';
import type { Callers, ClosedSlice } from './closed-load.ts';

/** What AIGatewayBench tries gateways with, and its units. */
export interface Scenario {
  title: string;
  load: Pick<ClosedSlice, 'body' | 'headers' | 'callers'>;
  /** Streams are timed to their first byte. */
  isStream?: boolean;
}

const usual = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };

const ofCalls = (title: string, callers: Callers[], body = chatRequest): Scenario => ({
  title,
  load: { body, callers, headers: usual },
});

/** English prose has some four characters in a token. */
function writePrompt(thousandTokens: number): string {
  const sentence = 'The report of the third quarter says that shipments rose while returns fell in most regions. ';
  const content = sentence.repeat(Math.ceil((thousandTokens * 4_000) / sentence.length));
  return JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });
}

/** @param waitMs of the provider, in milliseconds */
export function listScenarios(connections: readonly number[], waitMs: number): Record<string, Scenario[]> {
  return {
    connections: connections.map((count) => ofCalls(`${count} connections`, [{ count }])),
    prompts: [1, 10, 100].map((size) =>
      ofCalls(`4 connections, prompts of ${size}k tokens`, [{ count: 4 }], writePrompt(size)),
    ),
    slow: [
      ofCalls(`15 connections, beside one whose provider takes ${waitMs / 10} s`, [
        { count: 15 },
        { count: 1, headers: { 'x-bench-wait-ms': String(waitMs * 100) }, isUntimed: true },
      ]),
    ],
    unknown: [
      ofCalls('16 connections, beside 16 with keys that nobody knows', [
        { count: 16 },
        {
          count: 16,
          headers: { authorization: 'Bearer sk-nobody', 'x-agent-token': `${agentTokenPrefix}${'x'.repeat(43)}` },
          status: 401,
          isUntimed: true,
        },
      ]),
    ],
    streams: [
      {
        title: '16 connections, streams of 50 chunks, to the first byte',
        load: {
          body: streamRequest,
          callers: [{ count: 16 }],
          headers: { ...usual, 'x-bench-chunks': '50', 'x-bench-pause-ms': '1' },
        },
        isStream: true,
      },
    ],
  };
}
