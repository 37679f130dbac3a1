import { join } from 'node:path';
import { expect, test } from 'vitest';
import { managementConfigSchema } from '../../../services/management/src/config.ts';
import { findOidcFault } from '../../../services/management/src/oidc/oidc-fields.ts';
import { asked, commandsOf, makeOverlay, optionsOf, plan } from './deployments.ts';
import { listFlows } from './network-flows.ts';
import { innerAddresses, otherPods, providers, solver } from './outside-endpoints.ts';
import { readEnvironment } from './policies/check-environment.ts';
import { policies } from './policies/index.ts';
import { type KubernetesObject, listContainers, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { findSchemaError, findUnknownFields } from './schemas.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const placeholder = /example\.(com|internal)|192\.0\.2\.[1-9]/;
const findErrors = async (objects: KubernetesObject[]) => [
  ...Object.values(policies).flatMap((policy) => [...policy(objects)]),
  ...(await Promise.all(objects.map(findSchemaError))).filter((error) => error !== null),
  ...objects.map((each) => JSON.stringify(each)).filter((each) => placeholder.test(each)),
];

const { consoleOrigin, consoleProxyAddress, oidcIssuer, oidcClientId } = managementConfigSchema.shape;
/** As management reads them. */
const parseSettings = (settings: Record<string, string>) => ({
  consoleOrigin: consoleOrigin.parse(settings.CONSOLE_ORIGIN),
  consoleProxyAddress: consoleProxyAddress.parse(settings.CONSOLE_PROXY_ADDRESS),
  oidcIssuer: oidcIssuer.parse(settings.OIDC_ISSUER),
  oidcClientId: oidcClientId.parse(settings.OIDC_CLIENT_ID),
});

describeWithKustomize('the overlay that npm run deploy:kubernetes writes', () => {
  test.each(asked)('with %s has no placeholder and passes every rule', async (_, options) => {
    const { folder, commands } = makeOverlay(options);
    const objects = await renderKustomization(folder);
    expect(objects.length).toBeGreaterThan(30);
    expect(await findErrors(objects)).toEqual([]);
    const operator = await renderKustomization(join(folder, 'operator'));
    expect(operator.map(({ kind }) => kind).sort()).toEqual(['Job', 'ServiceAccount']);
    expect(await findErrors(operator)).toEqual([]);
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.length).toBeLessThanOrEqual(8);
    for (const { image } of [...listWorkloads(objects), ...listWorkloads(operator)].flatMap(listContainers))
      expect(image).toMatch(/^registry\.acme\.test\/agp\/[a-z]+:\d+\.\d+\.\d+$/);
  });

  test('has what was asked for', async () => {
    const objects = await renderKustomization(makeOverlay(optionsOf('all of it')).folder);
    const find = (kind: string, name: string) =>
      objects.find((each) => each.kind === kind && each.metadata.name === name);
    expect(find('Ingress', 'proxy')).toMatchObject({
      metadata: { annotations: { 'haproxy.org/timeout-server': '660s', 'cert-manager.io/cluster-issuer': 'acme' } },
      spec: { ingressClassName: 'public', rules: [{ host: 'agents.acme.test' }] },
    });
    expect(find('Ingress', 'management')?.spec).toMatchObject({
      ingressClassName: 'inside',
      tls: [{ hosts: ['governance.acme.test'] }],
    });
    const [trigger] = find('ScaledObject', 'writer')?.spec.triggers ?? [];
    expect(trigger?.metadata.natsServerMonitoringEndpoint).toBe('nats.acme.test:8222');
    expect(find('ConfigMap', 'agp-ca')?.data?.['ca.crt']).toContain('BEGIN CERTIFICATE');
    const config = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && /^proxy-(?!files)/.test(metadata.name));
    expect(config?.data).toMatchObject({
      PROVIDER_OPENAI_API_KEY_FILE: '/run/secrets/providers/openai',
      PROVIDER_AZURE_OPENAI_API_KEY_FILE: '/run/secrets/providers/azure-openai',
    });
    for (const account of objects.filter(({ kind }) => kind === 'ServiceAccount'))
      expect(account.imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  test.each([
    ['all of it', '/etc/agp-ca/ca.crt', undefined],
    ['an authority, and NATS in the cluster', undefined, '/etc/agp-ca/ca.crt'],
  ])(
    'with %s only servers with TLS are asked for a certificate, by services and operators',
    async (name, nats, redis) => {
      const { folder } = makeOverlay(optionsOf(name));
      const [objects, operator] = await Promise.all([folder, join(folder, 'operator')].map(renderKustomization));
      const settingsOf = (all: KubernetesObject[] = []) =>
        listWorkloads(all)
          .flatMap(listContainers)
          .map((container) => [container.name, readEnvironment(container, all)] as const)
          .filter(([service]) => ['proxy', 'writer', 'management', 'operator'].includes(service))
          .map(([service, { NATS_CA_FILE, REDIS_CA_FILE }]) => [service, NATS_CA_FILE, REDIS_CA_FILE]);
      const services = ['management', 'proxy', 'writer'].map((service) => [service, nats, redis]);
      expect(settingsOf(objects).sort()).toEqual(services);
      expect(settingsOf(operator)).toEqual([['operator', nats, undefined]]);
    },
  );

  test('tells the console its own address, the proxy’s, and the OpenID provider that people sign in with', async () => {
    const read = async (options: string[] = []) => {
      const objects = await renderKustomization(makeOverlay(options).folder);
      const config = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && /^management-/.test(metadata.name));
      const settings = Object.entries(config?.data ?? {}).filter(([name]) => /^(?:CONSOLE|OIDC)_/.test(name));
      return { objects, settings: Object.fromEntries(settings) };
    };
    const CONSOLE_PROXY_ADDRESS = 'https://agents.acme.test';
    const CONSOLE_ORIGIN = 'https://governance.acme.test';
    expect((await read(optionsOf('the least'))).settings).toEqual({ CONSOLE_PROXY_ADDRESS });
    const [open, closed] = await Promise.all([read(optionsOf('Gateway API for both')), read(optionsOf('all of it'))]);
    const OIDC_CLIENT_ID = 'agp';
    expect(open.settings).toEqual({
      ...{ CONSOLE_PROXY_ADDRESS, CONSOLE_ORIGIN, OIDC_CLIENT_ID },
      OIDC_ISSUER: 'https://id.acme.test/realms/staff',
    });
    expect(closed.settings).toEqual({
      ...{ CONSOLE_PROXY_ADDRESS, CONSOLE_ORIGIN, OIDC_CLIENT_ID },
      OIDC_ISSUER: 'https://id.acme.test:8443',
      OIDC_CLIENT_SECRET_FILE: '/run/secrets/agp/oidc-client-secret',
    });
    for (const { settings } of [open, closed]) expect(findOidcFault(parseSettings(settings))).toBeNull();
    const ports = [443, 8_443].map((number) => ({ number, protocol: 'TCP' }));
    const own = { name: 'oidc', address: '10.20.9.5', namespace: null, labels: {}, ports };
    const flowsOf = (objects: KubernetesObject[]) =>
      listFlows(objects, [...providers, ...innerAddresses, own]).filter((flow) =>
        /^management -> (?!management)/.test(flow),
      );
    expect(flowsOf(open.objects)).toEqual(['management -> provider 443/TCP', 'management -> provider-v6 443/TCP']);
    expect(flowsOf(closed.objects)).toEqual(['management -> oidc 8443/TCP']);
    expect(commandsOf(plan(optionsOf('all of it'))).join()).toContain('--add management/oidc-client-secret=oidc.txt');
  });

  test('lets pods reach the whole subnet of a server on its port, and in only whose namespace was named', async () => {
    const objects = await renderKustomization(makeOverlay(optionsOf('all of it')).folder);
    const host = (name: string, address: string, port: number) => ({
      ...{ name, address, namespace: null, labels: {} },
      ports: [port, 5_432].map((number) => ({ number, protocol: 'TCP' })),
    });
    const controllers = ['edge', 'staff'].map((name, place) => ({
      ...{ name, address: `10.244.3.${place + 1}`, labels: {}, ports: [] },
      namespace: { 'kubernetes.io/metadata.name': name },
    }));
    const flows = listFlows(
      [...objects, solver],
      [
        ...[...otherPods, ...providers, ...innerAddresses],
        host('postgres', '10.20.0.10', 6_432),
        host('standby', '10.20.0.99', 6_432),
        host('postgres-v6', 'fd00:20::5', 6_432),
        host('nats', '10.20.1.7', 4_223),
        host('redis', '10.20.2.7', 6_380),
        host('neighbour', '10.20.3.7', 6_380),
        ...controllers,
      ],
    );
    expect(flows.filter((flow) => /^(proxy -> (?!dns|provider)|edge|staff|ingress|monitoring)/.test(flow))).toEqual([
      'edge -> proxy 8080/TCP',
      'edge -> solver 8089/TCP',
      'proxy -> nats 4223/TCP',
      'proxy -> postgres 6432/TCP',
      'proxy -> postgres-v6 6432/TCP',
      'proxy -> redis 6380/TCP',
      'proxy -> standby 6432/TCP',
      'staff -> management 8081/TCP',
      'staff -> solver 8089/TCP',
    ]);
  });

  test('lets pods reach servers in the cluster by their namespaces, and nothing else there', async () => {
    const objects = await renderKustomization(makeOverlay(optionsOf('servers in the cluster')).folder);
    const ports = [4_222, 5_432, 6_379].map((number) => ({ number, protocol: 'TCP' }));
    const pods = ['data', 'nats', 'cache', 'ats'].map((name, place) => ({
      ...{ name, address: `10.244.5.${place + 1}`, labels: {}, ports },
      namespace: { 'kubernetes.io/metadata.name': name },
    }));
    const flows = listFlows(objects, pods).filter((flow) => flow.startsWith('proxy -> '));
    expect(flows).toEqual(['proxy -> cache 6379/TCP', 'proxy -> data 5432/TCP', 'proxy -> nats 4222/TCP']);
  });

  test('lets pods reach each of several servers, and what sentinels lead to', async () => {
    const objects = await renderKustomization(makeOverlay(optionsOf('several servers of each')).folder);
    const ports = [4_222, 5_432, 5_433, 6_379, 6_380, 26_379].map((number) => ({ number, protocol: 'TCP' }));
    const hosts = ['10.20.0.7', '10.20.2.7'].map((address) => ({ name: address, address, namespace: null }));
    const pods = ['bus', 'spare', 'other'].map((name, place) => ({
      ...{ name, address: `10.244.5.${place + 1}` },
      namespace: { 'kubernetes.io/metadata.name': name },
    }));
    const flows = listFlows(
      objects,
      [...hosts, ...pods].map((each) => ({ ...each, labels: {}, ports })),
    );
    expect(flows.filter((flow) => flow.startsWith('writer -> '))).toEqual([
      'writer -> 10.20.0.7 5432/TCP',
      'writer -> 10.20.0.7 5433/TCP',
      'writer -> 10.20.2.7 26379/TCP',
      'writer -> 10.20.2.7 6380/TCP',
      'writer -> bus 4222/TCP',
      'writer -> spare 4222/TCP',
    ]);
  });

  test('has no field that a schema does not have', async () => {
    const overlays = await Promise.all(asked.map(([, options]) => renderKustomization(makeOverlay(options).folder)));
    expect(await findUnknownFields(overlays.flat())).toEqual([]);
  });
});
