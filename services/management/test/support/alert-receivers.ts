import { randomUUIDv7 } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { madeTargetSchema, type Occasion } from '@agp/alerts';
import { uuidOf } from '@agp/core/ids';
import type { Database } from '@agp/db';
import { expect } from 'vitest';
import type { TestManagement } from './start-test-management.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a receiver answers at a path; without an answer of its own a message hangs. */
export type Answer = (response: ServerResponse, received: Received) => void;

export interface Receiver extends AsyncDisposable {
  url: string;
  host: string;
  received: Received[];
  /** Of this path. */
  at(path: string): Received[];
  connections(): number;
}

/** A real server that keeps what it was sent, and answers 200 unless its path has another answer. */
export async function startReceiver(answers: Readonly<Record<string, Answer>> = {}): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const one = { path, headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      const answer = answers[path];
      if (answer === undefined) response.end('ok');
      else answer(response, one);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url: `http://${host}`, host, received },
    at: (path) => received.filter((each) => each.path === path),
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const fail =
  (status: number, headers: Record<string, string> = {}, body = 'no'): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);

/** Makes a target by the API. @returns its UUID, and the secret that was made for it */
export async function makeTarget(
  { send }: Pick<TestManagement, 'send'>,
  target: { name: string; kind: string } & Record<string, unknown>,
): Promise<{ id: string; publicId: string; secret: string | null }> {
  const response = await send('POST', '/api/v1/notification-targets', target);
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(201);
  const { id, secret } = madeTargetSchema.parse(body);
  return { id: uuidOf('ntg', id), publicId: id, secret };
}

export interface PutAlert {
  title?: string;
  detail?: string;
  rule?: string;
  subject?: string;
  isOver?: boolean;
  /** The UUID of the one agent that it is of. */
  agent?: string;
}

/** Puts alerts as the watch does, which does not look from then on: it would end what has no cause. @returns their UUIDs */
export async function putAlerts({ pool }: Database, alerts: readonly PutAlert[]): Promise<string[]> {
  const rows = alerts.map((each) => ({ id: randomUUIDv7(), title: 'agent nightly fails', detail: '100 %', ...each }));
  await pool.query('DELETE FROM alert_watch');
  await pool.query(
    `INSERT INTO alerts (id, rule_id, rule, kind, severity, subject, "window", title, detail, path, agent_id, resolved_at)
     SELECT (each->>'id')::uuid, coalesce((SELECT id FROM notification_rules WHERE name = each->>'rule'), gen_random_uuid()),
       coalesce(each->>'rule', 'agents-failing'), 'failing', 'critical', coalesce(each->>'subject', each->>'id'), each->>'id',
       each->>'title', each->>'detail', '/agents?search=a&b', (each->>'agent')::uuid, CASE WHEN (each->>'isOver')::boolean THEN clock_timestamp() END
     FROM jsonb_array_elements($1::jsonb) AS each`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}

export interface PutDelivery {
  target: string;
  alert: string;
  line?: string;
  occasion?: Occasion;
}

/** Puts messages that wait, in this order. @returns their UUIDs */
export async function putDeliveries({ pool }: Database, deliveries: readonly PutDelivery[]): Promise<string[]> {
  const rows = deliveries.map((each) => ({ id: randomUUIDv7(), line: each.alert, occasion: 'opened', ...each }));
  await pool.query(
    `INSERT INTO alert_deliveries (id, target_id, alert_id, line, occasion)
     SELECT (each->>'id')::uuid, (each->>'target')::uuid, (each->>'alert')::uuid, each->>'line', each->>'occasion'
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS list (each, at) ORDER BY at`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}
