import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { CommandError } from '../run-command.ts';
import { listCommands, quote, type Step } from './list-commands.ts';
import { type DeploymentOptions, deploymentOptions, readDeployment } from './read-deployment.ts';
import { renderOverlay } from './render-overlay.ts';

const usualFolder = 'k8s/overlays/mine';

export interface DeploymentPlan {
  /** Where the files go. */
  folder: string;
  /** By their path within the folder. */
  files: Map<string, string>;
  steps: Step[];
}

/**
 * Makes an overlay and the commands that bring it into a cluster; writes nothing.
 *
 * @throws UsageError naming each option that is wrong or missing; CommandError for a file that cannot be used
 */
export function planDeployment(
  given: DeploymentOptions,
  { root, folder: path = usualFolder }: { root: string; folder?: string | undefined },
): DeploymentPlan {
  const deployment = readDeployment(given);
  const folder = resolve(root, path);
  const toManifests = relative(folder, resolve(root, 'k8s')).replaceAll('\\', '/');
  const files = renderOverlay(deployment, toManifests, describeCommand(given, path));
  if (given.authority !== undefined) files.set('ca.crt', readAuthority(resolve(root, given.authority)));
  const secretFiles = {
    certificate: given.certificate,
    certificateKey: given['certificate-key'],
    adminUrl: given['admin-url'],
    oidcSecret: given['oidc-secret'],
    providerKeysFolder: 'provider-keys',
  };
  return { folder, files, steps: listCommands(deployment, secretFiles, relative(root, folder)) };
}

function describeCommand(given: DeploymentOptions, path: string): string {
  const options = Object.keys(deploymentOptions).flatMap((name) => {
    const value = given[name as keyof DeploymentOptions];
    if (value === undefined) return [];
    return value === true ? [`--${name}`] : [`--${name} ${quote(String(value))}`];
  });
  if (path !== usualFolder) options.push(`--folder ${quote(path)}`);
  return `npm run deploy:kubernetes -- ${options.join(' ')}`;
}

function readAuthority(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CommandError(`--authority: ${file} cannot be read`);
  }
  if (text.includes('PRIVATE KEY'))
    throw new CommandError(`--authority: ${file} has a private key, and would be kept in git`);
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new CommandError(`--authority: ${file} has no certificate in PEM`);
  return text;
}
