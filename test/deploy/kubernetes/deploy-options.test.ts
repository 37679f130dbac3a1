import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommandWithin } from '@agp/testing';
import { describe, expect, test } from 'vitest';
import { listTrialCommands } from '../../../packages/operator/src/kubernetes/list-commands.ts';
import { proxyConfigSchema } from '../../../services/proxy/src/config.ts';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { asked, inside, makeFolder, makeOverlay, optionsOf, plan } from './deployments.ts';
import { type KubernetesObject, renderKustomization } from './render-kustomization.ts';
import { findSchemaError } from './schemas.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const commandFile = (name: string) => join(workspaceFolder, `packages/operator/src/commands/${name}.ts`);

describe('npm run deploy:kubernetes', () => {
  test('writes its overlay once, and never over what was changed there; it holds no secret and says how it was made', async () => {
    const folder = join(makeFolder(), 'overlay');
    const run = (...more: string[]) =>
      runCommandWithin(commandFile('deploy-kubernetes'), [...(asked[0]?.[1] ?? []), '--folder', folder, ...more]);
    const read = () => readFileSync(join(folder, 'kustomization.yaml'), 'utf8');
    const first = await run();
    expect([first.status, first.stderr]).toEqual([0, '']);
    const text = read();
    expect(text).toContain('npm run deploy:kubernetes -- --host agents.acme.test');
    expect(text).not.toMatch(/password|BEGIN/i);
    expect(first.stdout).toMatch(/^# 3\. by hand:\n# {4}- give each of the three NATS servers/m);
    expect(first.stdout.match(/^# \d\. /gm)?.length).toBe(plan(asked[0]?.[1] ?? []).steps.length);
    writeFileSync(join(folder, 'kustomization.yaml'), `${text}# ours\n`);
    const second = await run();
    expect([second.status, second.stderr]).toEqual([1, expect.stringContaining('--overwrite')]);
    expect(read()).toContain('# ours');
    expect((await run('--overwrite')).stdout).toContain('written');
    expect(read()).toBe(text);
  });

  test('refuses a wrong use with its code, and writes nothing', async () => {
    const folder = join(makeFolder(), 'overlay');
    const args = ['--host', 'https://a.test', '--folder', folder];
    const { status, stdout, stderr } = await runCommandWithin(commandFile('deploy-kubernetes'), args);
    expect([status, stdout, existsSync(folder)]).toEqual([2, '', false]);
    expect(stderr).toMatch(/--host: https:\/\/a\.test is no host name.*--registry is missing/s);
  });

  test.each<[string, string[], RegExp]>([
    ['nothing', [], /--host is missing.*--registry is missing.*--ingress is missing.*--postgres is missing/s],
    ['a host that is YAML', ['--host', 'a.test }, { op'], /--host: .* is no host name/],
    ['a port that is none', ['--nats', 'nats.acme.test:99999'], /--nats: .* is not host:port/],
    ['a Service without its namespace', ['--redis', 'redis:6379'], /--redis: .* write service\.namespace\.svc/],
    ['no subnet of a server outside', ['--postgres', 'db.acme.test:5432'], /--postgres-network is missing: .*failover/],
    ['a subnet of a server inside', [...inside, '--nats-network', '10.0.0.0/8'], /--nats-network: a Service in the/],
    ['an address in place of a subnet', ['--redis-network', '10.20.0.5/24'], /last 8 bits must be 0/],
    ['an IPv4-mapped subnet', ['--redis-network', '::ffff:0:0/96'], /--redis-network: .* is an IPv4-mapped/],
    ['everything as a subnet', ['--redis-network', '0.0.0.0/0'], /is more than a subnet/],
    ['an authority of no server', [...inside, '--authority', 'ca.crt'], /--authority: none of these servers has TLS/],
    ['servers in and out', ['--nats', 'a.acme.test:4222,nats.nats.svc:4222'], /--nats: .* is in the cluster in part/],
    ['Redis without sentinels', ['--redis', 'a.acme.test:6379,b.acme.test:6379'], /--redis: .* write sentinel:/],
    ['a port for nothing', [...inside, '--redis-port', '6380'], /--redis-port: goes with sentinels/],
    ['an administrator out of reach', inside, /--admin-url is missing/],
    [
      'a URL in place of its file',
      ['--admin-url', 'postgres://root:hunter2@db'],
      /--admin-url: must be a file that holds/,
    ],
    [
      'an OpenID provider without TLS',
      ['--oidc-issuer', 'http://id.acme.test'],
      /--oidc-issuer: .* is no URL of an issuer/,
    ],
    ['an OpenID provider that is YAML', ['--oidc-issuer', 'https://id.acme.test/ #x'], /--oidc-issuer: .* is no URL/],
    ['one in the cluster', ['--oidc-issuer', 'https://id.id.svc'], /browsers do not reach/],
    [
      'nowhere to come back to',
      ['--oidc-issuer', 'https://id.acme.test', '--oidc-client', 'agp'],
      /--management-host is missing: people come back/,
    ],
    ['a client of no OpenID provider', ['--oidc-client', 'agp'], /--oidc-client: goes with --oidc-issuer/],
    ['no certificate', ['--ingress', 'nginx'], /--certificate is missing/],
    ['a Gateway without its name', ['--ingress', 'gateway', '--host', 'a.acme.test'], /--gateway is missing/],
    [
      'management on any class',
      ['--ingress', 'nginx', '--management-host', 'm.a.test'],
      /--management-class is missing/,
    ],
    ['a class for nothing', ['--management-class', 'inside'], /--management-class: goes with --management-host/],
    [
      'a namespace for nothing',
      ['--management-ingress-namespace', 'staff'],
      /--management-ingress-namespace: goes with/,
    ],
    ['a registry without a host', ['--registry', 'agp'], /--registry: agp is no registry/],
    ['an unknown option', ['--hots', 'a.test'], /Unknown option '--hots'/],
  ])('%s is refused by the name of its option', (_, options, message) => {
    expect(() => plan(options)).toThrow(message);
  });

  test('a password in an option is not shown', () => {
    expect(() =>
      plan(['--postgres', 'postgres://root:hunter2@db.acme.test', '--admin-url', 'postgres://a:hunter2@db']),
    ).toThrow(/^(?!.*hunter2).*--postgres: what is given is not host:port/s);
  });

  test('a private key is not taken for the certificate of an authority', () => {
    const key = join(makeFolder(), 'ca.pem');
    writeFileSync(key, '-----BEGIN PRIVATE KEY-----\n');
    const options = (asked.at(-1)?.[1] ?? []).map((each) => (each === 'ca.crt' ? key : each));
    expect(() => plan(options)).toThrow(/--authority: .* has a private key/);
  });
});

describeWithKustomize('the commands that it prints', () => {
  test('are eight at most, and bash and npm know them', () => {
    const scripts = Object.keys(JSON.parse(readFileSync(join(workspaceFolder, 'package.json'), 'utf8')).scripts);
    const trial = listTrialCommands('kind').map(({ command }) => command);
    expect(trial).toHaveLength(8);
    for (const commands of [trial, ...asked.map(([, options]) => makeOverlay(options).commands)]) {
      execFileSync('bash', ['-n', '-c', commands.join('\n')]);
      for (const [, script] of commands.join('\n').matchAll(/npm run (?:--silent )?([\w:-]+)/g))
        expect(scripts).toContain(script);
    }
  });

  test.each<[string, RegExp | null]>([
    ['the least', null],
    ['all of it', /timeout-client: 660s/],
    ['servers in the cluster', /websecure.*readTimeout=310s/],
    ['Gateway API', /listener.* https.*agp.*allowedRoutes.*660 seconds/],
  ])('leave to people, with %s, what servers and controllers are told', (name, setting) => {
    const { steps } = plan(optionsOf(name));
    const byHand = steps.flatMap((step) => ('byHand' in step ? step.byHand : []));
    expect(byHand.slice(0, 2)).toEqual([
      expect.stringMatching(/three NATS servers.*"authorization" of secrets\/nats\/nats\.conf/),
      expect.stringContaining('secrets/redis/users.acl'),
    ]);
    expect(byHand.slice(2)).toEqual(setting === null ? [] : [expect.stringMatching(setting)]);
    const find = (text: string) => steps.findIndex((step) => 'command' in step && step.command.includes(text));
    const place = steps.findIndex((step) => 'byHand' in step);
    expect([find('npm run --silent secrets') < place, place < find('kubectl apply -k')]).toEqual([true, true]);
  });

  test('build the images of the version that is there when they run', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'package.json'), '{ "version": "9.8.7", "type": "module" }');
    for (const tool of ['docker', 'kind']) writeFileSync(join(folder, tool), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const run = (command = '') =>
      execFileSync('bash', ['--norc', '-c', command], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${folder}:${dirname(process.execPath)}:${process.env.PATH}` },
      });
    expect(run(makeOverlay(optionsOf('the least')).commands[0])).toContain(
      'push registry.acme.test/agp/writer:9.8.7\n',
    );
    const [trial] = listTrialCommands('kind');
    expect(run(trial?.command)).toContain('load docker-image localhost/agent-governance-proxy/proxy:9.8.7\n');
  });

  /** What the second command prints, in a folder with the files that it takes. */
  function makeSecrets(options: readonly string[]) {
    const folder = makeFolder();
    const { commands } = makeOverlay(options);
    const [, given = ''] = /secrets -- (.*) \| kubectl apply -f -$/m.exec(commands.join('\n')) ?? [];
    for (const name of ['a.crt', 'a.key']) writeFileSync(join(folder, name), `${name}\n`);
    mkdirSync(join(folder, 'provider-keys'));
    writeFileSync(join(folder, 'provider-keys/openai'), 'sk-test\n');
    const args = [commandFile('secrets'), ...given.split(' '), '--folder', join(folder, 'secrets')];
    const print = () =>
      execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const printed = print();
    expect(print()).toBe(printed);
    const { items } = JSON.parse(printed) as {
      items: (KubernetesObject & { stringData?: Record<string, string> })[];
    };
    const dataOf = (name: string) => items.find(({ metadata }) => metadata.name === name)?.stringData ?? {};
    return { items, dataOf };
  }

  test('make Secrets that pods find: with TLS where servers are outside, certificate, keys of providers, namespace', async () => {
    const { items, dataOf } = makeSecrets([...optionsOf('the least'), '--provider-keys', 'openai']);
    expect((await Promise.all(items.map(findSchemaError))).filter((error) => error !== null)).toEqual([]);
    expect(dataOf('agp-proxy')['database-url']).toMatch(/@db\.acme\.test:6432\/agp\?sslmode=verify-full$/);
    expect(dataOf('agp-writer')['nats-url']).toMatch(/^tls:\/\/writer:.*@nats\.acme\.test:4223$/);
    expect(dataOf('agp-management')['redis-url']).toMatch(/^rediss:\/\/management:.*@redis\.acme\.test:6380$/);
    expect(dataOf('agp-provider-keys')).toEqual({ openai: 'sk-test' });
    expect(dataOf('agp-proxy-tls')).toEqual({ 'tls.crt': 'a.crt', 'tls.key': 'a.key' });
    expect(items.find(({ metadata }) => metadata.name === 'agp-proxy-tls')?.type).toBe('kubernetes.io/tls');
    const [written] = await renderKustomization(join(workspaceFolder, 'k8s/namespace'));
    expect(items[0]).toEqual(written);
  });

  test('make URLs of all servers of a cluster, and of sentinels, which a second run finds to be the same', () => {
    const { dataOf } = makeSecrets(optionsOf('several servers of each'));
    const urls = dataOf('agp-proxy');
    expect(urls['database-url']).toMatch(/@pg-1\.acme\.test:5432,pg-2\.acme\.test:5433\/agp\?sslmode=verify-full$/);
    expect(urls['nats-url']).toMatch(
      /^nats:\/\/proxy:.*@nats-0\.nats\.bus\.svc:4222,nats-1\.nats\.bus\.svc:4222,nats\.spare\.svc:4222$/,
    );
    expect(urls['redis-url']).toMatch(
      /^rediss\+sentinel:\/\/proxy:[^@]+@s-1\.acme\.test:26379,s-2\.acme\.test:26379\/main$/,
    );
    const [databaseUrl, natsUrl, redisUrl] = ['database-url', 'nats-url', 'redis-url'].map((name) => urls[name]);
    expect(proxyConfigSchema.safeParse({ databaseUrl, natsUrl, redisUrl }).success).toBe(true);
  });
});
