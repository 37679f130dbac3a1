import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../latency/targets.ts';
import type { StartedProcess } from '../processes.ts';

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts Portkey's gateway, the open one of npm, before a provider.
 *
 * @param folder in which `npm install @portkey-ai/gateway` was run
 * @throws Error unless it answers within 20 s
 */
export async function startPortkey(folder: string, providerUrl: string): Promise<StartedProcess & { target: Target }> {
  const port = await findPort();
  const file = `${folder}/node_modules/@portkey-ai/gateway/build/start-server.js`;
  const child = spawn(process.execPath, [file, `--port=${port}`, '--headless'], { stdio: 'ignore' });
  process.once('exit', () => child.kill());
  const url = `http://127.0.0.1:${port}`;
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${providerUrl}/v1`,
    'x-portkey-forward-headers': 'x-bench-chunks,x-bench-pause-ms,x-bench-wait-ms',
  };
  for (let tries = 0; ; tries += 1) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    if (tries > 100) throw new Error(`Portkey of ${folder} does not answer: is @portkey-ai/gateway installed there?`);
    await sleep(200);
  }
  return { child, url, opsUrl: url, target: { name: 'Portkey', origin: url, prefix: '', isOurs: false, headers } };
}
