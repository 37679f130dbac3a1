import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proxyConfigSchema } from '@agp/settings';

import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { listComponents, manifests, renderWith } from './components.ts';
import { everything, overlays } from './overlays.ts';
import { type KubernetesObject, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { findSchemaError } from './schemas.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const components = listComponents();

const listRecommended = ({ labels = {} }: { labels?: Record<string, string> }) =>
  ['name', 'instance', 'version', 'component', 'part-of'].map((label) => labels[`app.kubernetes.io/${label}`]);

describeWithKustomize('components', () => {
  test.each(components)('%s fits production alone', async (name) => {
    // A version is in the base already, and is another's own.
    const objects = await renderWith([name]);
    expect(objects.length).toBeGreaterThan(30);
    const errors = await Promise.all(objects.map(findSchemaError));
    expect(errors.filter((error) => error !== null)).toEqual([]);
  });

  test.each(['nginx', 'haproxy', 'traefik'])(
    '%s: the proxy on its class, management on one of its own',
    async (name) => {
      const objects = await renderWith(['components/ingress-management', `components/ingress-${name}`]);
      const classes = objects
        .filter(({ kind }) => kind === 'Ingress')
        .map(({ metadata, spec }) => [metadata.name, spec.ingressClassName, spec.tls.length]);
      expect(classes.sort()).toEqual([
        ['management', 'internal', 1],
        ['proxy', name, 1],
      ]);
      const [one, other] = objects.filter(({ kind }) => kind === 'Ingress').map(({ metadata }) => metadata.annotations);
      expect(Object.keys(one ?? {}).length).toBeGreaterThan(0);
      expect(other).toEqual(one);
    },
  );

  test('no controller gives up before the proxy does, nor holds an answer or a body back', async () => {
    const { upstreamTimeoutSeconds } = proxyConfigSchema.parse({
      databaseUrl: 'postgres://a',
      natsUrl: 'nats://a',
      redisUrl: 'redis://a',
    });
    const annotationsOf = async (name: string) =>
      (await renderWith([`components/ingress-${name}`])).find(({ kind }) => kind === 'Ingress')?.metadata.annotations;
    const nginx = await annotationsOf('nginx');
    for (const way of ['read', 'send'])
      expect(Number(nginx?.[`nginx.ingress.kubernetes.io/proxy-${way}-timeout`])).toBeGreaterThan(
        upstreamTimeoutSeconds,
      );
    expect(nginx).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-body-size': '0',
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
    });
    const haproxy = await annotationsOf('haproxy');
    expect(Number.parseInt(haproxy?.['haproxy.org/timeout-server'] ?? '', 10)).toBeGreaterThan(upstreamTimeoutSeconds);
    const routes = (await renderWith(['components/gateway', 'components/gateway-management'])).filter(
      ({ kind }) => kind === 'HTTPRoute',
    );
    expect(routes.map(({ spec }) => [spec.parentRefs[0].name, spec.rules[0].timeouts])).toEqual([
      ['internal', { request: '0s', backendRequest: '0s' }],
      ['public', { request: '0s', backendRequest: '0s' }],
    ]);
  });

  describe('labels', () => {
    let rendered: KubernetesObject[][] = [];
    beforeAll(async () => {
      rendered = await Promise.all(overlays.map((folder) => renderKustomization(folder)));
    });

    test('everything that runs has the recommended ones, and the version is no selector', () => {
      const ours = rendered
        .flatMap((objects) => listWorkloads(objects))
        .filter(({ template }) => template.spec.containers[0]?.image?.includes('agent-governance-proxy/'));
      expect(ours.length).toBeGreaterThan(12);
      for (const { name, template, object } of ours) {
        const expected = [name, 'agp', manifest.version, expect.any(String), 'agent-governance-proxy'];
        expect(listRecommended(object.metadata), name).toEqual(expected);
        expect(listRecommended(template.metadata ?? {}), name).toEqual(expected);
        const selected = Object.keys(object.spec.selector?.matchLabels ?? {});
        expect(selected, name).toEqual(object.kind === 'Deployment' ? ['app.kubernetes.io/name'] : []);
      }
    });

    test('a Job of each version has a name of its own', () => {
      for (const objects of rendered)
        expect(objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name)).toContain(
          `migrate-${manifest.version.replaceAll('.', '-')}`,
        );
    });

    test('nothing that Argo CD or Flux applies every hour is made again, and no pruning takes Secrets along', async () => {
      for (const objects of [...rendered, await renderKustomization(everything)]) {
        expect(objects.filter(({ kind }) => kind === 'Namespace' || kind === 'Secret')).toEqual([]);
        const job = objects.find(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('migrate'));
        expect(job?.spec.ttlSecondsAfterFinished).toBeUndefined();
        expect(job?.metadata.annotations).toMatchObject({
          'argocd.argoproj.io/hook': 'Sync',
          'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation,HookSucceeded',
          'kustomize.toolkit.fluxcd.io/force': 'enabled',
        });
      }
    });

    test('the version stands in one file, and in what is made of it', () => {
      const files = globSync('**/*.yaml', { cwd: manifests }).filter((path) => {
        const version = manifest.version.replaceAll('.', '[.-]');
        return new RegExp(`(?<![\\d.])${version}(?![\\d.])`).test(readFileSync(join(manifests, path), 'utf8'));
      });
      expect(files.sort()).toEqual(['chart/Chart.yaml', 'components/version/kustomization.yaml']);
    });
  });
});
