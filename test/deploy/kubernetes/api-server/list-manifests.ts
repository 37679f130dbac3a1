import { basename, join } from 'node:path';
import { listComponents, manifests, renderWith } from '../components.ts';
import { overlays } from '../overlays.ts';
import { renderKustomization } from '../render-kustomization.ts';
import type { Manifests } from './check-manifests.ts';

/** Every overlay, the one to copy among them, and production with each component alone. */
export async function* listManifests(): AsyncGenerator<Manifests> {
  for (const overlay of [...overlays, join(manifests, 'overlays/example')])
    yield { name: basename(overlay), objects: await renderKustomization(overlay) };
  for (const name of listComponents()) yield { name, objects: await renderWith([name]) };
}
