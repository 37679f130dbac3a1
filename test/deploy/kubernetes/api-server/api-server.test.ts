import { describe, expect, test } from 'vitest';
import { overlays } from '../overlays.ts';
import { renderKustomization } from '../render-kustomization.ts';
import { checkManifests, checkSecrets } from './check-manifests.ts';
import { findApiServer } from './find-api-server.ts';
import { startApiServer } from './start-api-server.ts';

const files = findApiServer(process.env);
const name = 'an API server';

// No registry package brings the two programs, so a machine without them leaves this out, in CI too; `npm run check:manifests` is all of it.
describe.skipIf(files === null)(
  files === null ? `${name} (skipped: kube-apiserver and etcd are not here)` : name,
  () => {
    test('takes every overlay and Secret, once more unchanged, and as the next version', async () => {
      if (files === null) return;
      await using server = await startApiServer(files);
      const findings = [await checkSecrets(server)];
      for (const [place, folder] of overlays.entries())
        findings.push(
          await checkManifests(server, { name: `overlay ${place}`, objects: await renderKustomization(folder) }),
        );
      expect(findings.flatMap(({ refused }) => refused)).toEqual([]);
      expect(findings.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThan(80);
    }, 300_000);
  },
);
