import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import type { KubernetesObject } from './render-kustomization.ts';

let manifests: (KubernetesObject & { stringData: Record<string, string> })[] | null = null;

/** What `npm run secrets -- --kubernetes` prints for a new deployment whose OpenID client has a secret, made once. */
export function makeSecretManifests() {
  if (manifests !== null) return manifests;
  const folder = mkdtempSync(join(tmpdir(), 'agp-secrets-'));
  try {
    const command = join(workspaceFolder, 'packages/operator/src/commands/secrets.ts');
    writeFileSync(join(folder, 'oidc.txt'), 'a-secret-of-the-client');
    const added = `management/oidc-client-secret=${join(folder, 'oidc.txt')}`;
    const args = [command, '--kubernetes', '--folder', join(folder, 'secrets'), '--add', added];
    const printed = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    manifests = (JSON.parse(printed) as { items: NonNullable<typeof manifests> }).items;
    return manifests;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
