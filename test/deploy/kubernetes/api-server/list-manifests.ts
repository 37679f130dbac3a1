import { basename, join } from 'node:path';
import { renderChart } from '../chart/render-chart.ts';
import { listComponents, manifests, renderWith } from '../components.ts';
import { findTool } from '../find-tools.ts';
import { overlays } from '../overlays.ts';
import { renderKustomization } from '../render-kustomization.ts';
import type { Manifests } from './check-manifests.ts';

/** Every overlay, the one to copy among them, production with each component alone, and the chart, also as a second in its namespace. */
export async function* listManifests(): AsyncGenerator<Manifests> {
  for (const overlay of [...overlays, join(manifests, 'overlays/example')])
    yield { name: basename(overlay), objects: await renderKustomization(overlay) };
  for (const name of listComponents()) yield { name, objects: await renderWith([name]) };
  if (findTool('helm') === null) throw new Error('helm, for the chart, is neither on the PATH nor among the packages');
  yield { name: 'chart', objects: await renderChart() };
  yield { name: 'chart as a second', objects: await renderChart({ instance: 'second', keda: { enabled: true } }) };
}
