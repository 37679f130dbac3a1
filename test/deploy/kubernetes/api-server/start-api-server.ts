import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment, findFreePort } from '@agp/testing';
import { Agent, fetch } from 'undici';
import type { ApiServerFiles } from './find-api-server.ts';

/** An answer of the server's. */
export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any object of Kubernetes, or a Status.
  body: any;
  warnings: string[];
}

export interface ApiServer extends AsyncDisposable {
  call(method: string, path: string, body?: object): Promise<ApiAnswer>;
}

/** How long the servers may take to start on a busy machine, in milliseconds. */
const startMs = 180_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
}

/** Starts an API server with its own etcd on loopback ports, without controllers: what it takes is stored, and nothing runs. */
export async function startApiServer({ apiServer, etcd }: ApiServerFiles): Promise<ApiServer> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'agp-api-server-'));
  opened.defer(() => rmSync(folder, { recursive: true }));
  const [port, etcdPort, peerPort] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const token = randomBytes(24).toString('hex');
  writeFileSync(join(folder, 'tokens.csv'), `${token},tester,1,system:masters\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(join(folder, 'accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });

  let output = '';
  const launch = (file: string, args: string[]) => {
    const child = spawn(file, args, { env: childEnvironment({}), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-20_000);
      });
    opened.defer(() => stop(child));
    return child;
  };
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const children = [
    launch(etcd, [
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
      ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`, '--unsafe-no-fsync'],
    ]),
    launch(apiServer, [
      ...[`--etcd-servers=${etcdUrl}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${folder}`],
      ...[
        '--advertise-address=127.0.0.1',
        '--endpoint-reconciler-type=none',
        '--service-cluster-ip-range=10.96.0.0/16',
      ],
      ...[`--token-auth-file=${join(folder, 'tokens.csv')}`, '--authorization-mode=RBAC', '--anonymous-auth=false'],
      ...['--service-account-issuer=https://kubernetes.default.svc'],
      ...[`--service-account-key-file=${join(folder, 'accounts.key')}`],
      ...[`--service-account-signing-key-file=${join(folder, 'accounts.key')}`],
    ]),
  ];

  let agent: Agent | null = null;
  const call: ApiServer['call'] = async (method, path, body) => {
    // It signs a certificate for itself when it starts.
    agent ??= new Agent({ connect: { ca: readFileSync(join(folder, 'apiserver.crt')) } });
    const response = await fetch(`https://127.0.0.1:${port}${path}`, {
      ...{ method, dispatcher: agent, body: body === undefined ? null : JSON.stringify(body) },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const text = await response.text();
    const warnings = [...(response.headers.get('warning') ?? '').matchAll(/299 \S+ "((?:\\.|[^"\\])*)"/g)];
    return {
      status: response.status,
      body: text.startsWith('{') ? JSON.parse(text) : text,
      warnings: warnings.map(([, warning = '']) => warning),
    };
  };
  opened.defer(() => agent?.close());
  const until = performance.now() + startMs;
  while (
    !(await call('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    ))
  ) {
    if (performance.now() > until || children.some(({ exitCode }) => exitCode !== null))
      throw new Error(`the API server did not start:\n${output}`);
    await sleep(250);
  }
  const running = opened.move();
  return { call, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
