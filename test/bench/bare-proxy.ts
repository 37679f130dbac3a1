import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';

/* The least that Node can do between an agent and a provider: the baseline of `npm run bench`. */

const origin = process.env.UPSTREAM_URL ?? '';
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const answer = await agent.request({
    origin,
    path: request.url ?? '/',
    method: request.method as 'POST',
    headers,
    body: request,
  });
  response.writeHead(answer.statusCode, answer.headers);
  answer.body.pipe(response);
}

const server = createServer((request, response) => void passOn(request, response));

server.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.once('disconnect', () => process.exit(0));
