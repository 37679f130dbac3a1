import { join } from 'node:path';
import { workspaceFolder } from '../../workspace/run-tool.ts';

/** What can be applied, and production with every component. The base alone is half of each. */
export const overlays = ['k8s/overlays/local', 'k8s/overlays/production', 'test/deploy/kubernetes/everything'].map(
  (folder) => join(workspaceFolder, folder),
) as [string, string, string];

export const [localOverlay, productionOverlay, everything] = overlays;
