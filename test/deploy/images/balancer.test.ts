import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { managementConfigSchema, proxyConfigSchema } from '@agp/settings';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import type { ComposeFile } from './check-compose.ts';

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8');
const text = read('packages/operator/balancer/haproxy.cfg');
const { services } = parse(read('docker-compose.yml'), { merge: true }) as ComposeFile;

const toMs = (value: string) =>
  Number.parseInt(value, 10) * (value.endsWith('ms') ? 1 : value.endsWith('m') ? 60_000 : 1_000);
const proxy = proxyConfigSchema.shape;
const management = managementConfigSchema.shape;

/** What in a balancer's file goes against what Compose and the services promise. */
function findFaults(file: string): string[] {
  const setting = (name: string) => toMs(new RegExp(`^ +${name} (\\S+)$`, 'm').exec(file)?.[1] ?? '0s');
  const longestSilence = (proxy.upstreamTimeoutSeconds.parse(undefined) + 60) * 1_000;
  const checks = [...file.matchAll(/check port \d+ inter (\w+) fastinter (\w+) downinter \w+ fall (\d)/g)];
  const slowest = checks.map(([, inter = '', fast = '', fall]) => toMs(inter) + (Number(fall) - 1) * toMs(fast));
  const template = (name: string, ports: { url: number; ops: number }) =>
    [
      `server-template ${name} `,
      ` ${name}:${ports.url} check inter `,
      ` ${name}:${ports.url} check port ${ports.ops} `,
    ].every((part) => file.includes(part));
  const drainMs = Number(services.proxy?.environment?.DRAIN_DELAY_SECONDS) * 1_000;
  const faults: [boolean, string][] = [
    [!template('proxy', { url: 8080, ops: proxy.opsPort.parse(undefined) }), 'does not find proxies'],
    [!template('management', { url: 8081, ops: management.opsPort.parse(undefined) }), 'does not find the API'],
    [file.match(/^ +retry-on .*/gm)?.join() !== '  retry-on conn-failure', 'repeats requests that may have been sent'],
    [
      file.match(/^ +default-server observe layer4 error-limit 1 on-error mark-down$/gm)?.length !== 2,
      'goes on to call what refuses connections',
    ],
    [setting('timeout server') < longestSilence, 'gives up before the proxy does'],
    [setting('timeout client') < longestSilence, 'lets go of agents that wait'],
    [slowest.length !== 2 || slowest.some((ms) => ms + 1_000 > drainMs), 'sees too late that a service stops'],
    [!/^ +option forwardfor$/m.test(file), 'hides who calls'],
    [!/^ +option http-no-delay$/m.test(file), 'keeps pieces of streams back'],
    [/http-buffer-request/.test(file), 'keeps bodies back'],
    [!/^ +option idle-close-on-response$/m.test(file), 'cuts kept connections at a reload'],
    [!/^ +default-server .* init-addr libc,none$/m.test(file), 'knows nobody after a reload'],
  ];
  return faults.flatMap(([isFault, fault]) => (isFault ? [fault] : []));
}

test('the balancer fits the services and what Compose says of them', () => {
  expect(findFaults(text)).toEqual([]);
});

test.each([
  ['does not find proxies', 'proxy:8080 check port 9080', 'proxy:8080 check port 9081'],
  ['does not find the API', 'management:8081 check inter', 'management:8080 check inter'],
  ['repeats requests that may have been sent', 'retry-on conn-failure', 'retry-on conn-failure empty-response'],
  ['repeats requests that may have been sent', '  retry-on conn-failure\n', ''],
  ['goes on to call what refuses connections', ' on-error mark-down', ''],
  ['gives up before the proxy does', 'timeout server 660s', 'timeout server 60s'],
  ['lets go of agents that wait', 'timeout client 660s', 'timeout client 10m'],
  ['sees too late that a service stops', 'inter 500ms fastinter 200ms', 'inter 2s fastinter 2s'],
  ['hides who calls', '  option forwardfor\n', ''],
  ['keeps pieces of streams back', '  option http-no-delay\n', ''],
  ['cuts kept connections at a reload', '  option idle-close-on-response\n', ''],
  ['knows nobody after a reload', 'init-addr libc,none', 'init-addr none'],
  ['keeps bodies back', '  option abortonclose\n', '  option abortonclose\n  option http-buffer-request\n'],
])('a planted fault is named: it %s', (fault, from, to) => {
  expect(text).toContain(from);
  expect(findFaults(text.replace(from, to))).toContain(fault);
});

test('only the balancer publishes the ports of agents and of the API', () => {
  const publishing = Object.entries(services).filter(([, { ports = [] }]) =>
    ports.some((port) => /:808[01]$/.test(port)),
  );
  expect(publishing.map(([name, { ports }]) => [name, ports?.length])).toEqual([['balancer', 2]]);
});
