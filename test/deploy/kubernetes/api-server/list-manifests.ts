import { basename } from 'node:path';
import { listComponents, renderWith } from '../components.ts';
import { asked, makeOverlayIn } from '../deployments.ts';
import { overlays } from '../overlays.ts';
import { renderKustomization } from '../render-kustomization.ts';
import type { Manifests } from './check-manifests.ts';

/** Every overlay, production with each component alone, and what `npm run deploy:kubernetes` writes, in `folder`. */
export async function* listManifests(folder: string): AsyncGenerator<Manifests> {
  for (const overlay of overlays) yield { name: basename(overlay), objects: await renderKustomization(overlay) };
  for (const name of listComponents()) yield { name, objects: await renderWith([name]) };
  for (const [name, options] of asked)
    yield { name: `deploy: ${name}`, objects: await renderKustomization(makeOverlayIn(folder, options).folder) };
}
