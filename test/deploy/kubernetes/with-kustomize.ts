import { describe } from 'vitest';
import { findTool } from './find-tools.ts';
import { findKustomize } from './render-kustomization.ts';

/**
 * A `describe` for what renders manifests. Without `kubectl` or `kustomize`, which a registry package brings for Linux on x64 alone, its tests are skipped
 * and say so; in CI they fail instead, since nobody would look there for what was skipped.
 */
export function describeWithKustomize(name: string, tests: () => void): void {
  const isMissing = findKustomize() === null && process.env.CI === undefined;
  describe.skipIf(isMissing)(isMissing ? `${name} (skipped: neither kubectl nor kustomize is here)` : name, tests);
}

/** The same for what renders the chart too, which needs `helm`. */
export function describeWithHelm(name: string, tests: () => void): void {
  const isMissing = (findTool('helm') === null || findKustomize() === null) && process.env.CI === undefined;
  describe.skipIf(isMissing)(isMissing ? `${name} (skipped: helm or kustomize is not here)` : name, tests);
}
