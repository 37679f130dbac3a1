import { describe } from 'vitest';
import { findKustomize } from './render-kustomization.ts';

/**
 * A `describe` for what renders manifests. Without `kubectl` or `kustomize`, which no registry package brings, its tests are skipped
 * and say so; in CI they fail instead, since nobody would look there for what was skipped.
 */
export function describeWithKustomize(name: string, tests: () => void): void {
  const isMissing = findKustomize() === null && process.env.CI === undefined;
  describe.skipIf(isMissing)(isMissing ? `${name} (skipped: neither kubectl nor kustomize is here)` : name, tests);
}
