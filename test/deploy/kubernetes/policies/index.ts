import { checkApiFields } from './check-api-fields.ts';
import { checkApiNames } from './check-api-names.ts';
import { checkApiNetworks } from './check-api-networks.ts';
import { checkApiWorkloads } from './check-api-workloads.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkImages } from './check-images.ts';
import { checkLifecycle } from './check-lifecycle.ts';
import { checkPodSecurity } from './check-pod-security.ts';
import { checkProbes } from './check-probes.ts';
import { checkReferences } from './check-references.ts';
import { checkResources } from './check-resources.ts';
import { checkSecrets } from './check-secrets.ts';

/** What must hold of everything that is rendered: each tells what it finds against it. */
export const policies = {
  checkApiFields,
  checkApiNames,
  checkApiNetworks,
  checkApiWorkloads,
  checkEnvironment,
  checkImages,
  checkLifecycle,
  checkPodSecurity,
  checkProbes,
  checkReferences,
  checkResources,
  checkSecrets,
};
