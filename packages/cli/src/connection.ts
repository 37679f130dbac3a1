import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, UsageError } from './cli-error.ts';

/** Where the management API is, without a slash at the end, and the key to it. */
export interface Connection {
  url: string;
  key: string;
}

export interface ConnectionOptions {
  url?: string | undefined;
  keyFile?: string | undefined;
}

/** Characters that a header may contain; for others fetch throws an error that quotes the key. */
const keyPattern = /^[\x21-\x7e]+$/;

function readUrl(text: string, source: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${source} must be a URL such as http://127.0.0.1:8081`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageError(`${source} must be an address only, without a user, a query or a fragment`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function readKeyFile(file: string, source: string, environment: NodeJS.ProcessEnv): string {
  // npm runs scripts in the project's folder, but the user means a path relative to the current one.
  const path = resolve(environment.INIT_CWD || '.', file);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new CliError(`${source}: cannot read ${path}`);
  }
}

function findKey(
  { keyFile }: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
): { key: string; source: string } | null {
  const { AGP_API_KEY, AGP_API_KEY_FILE } = environment;
  if (keyFile !== undefined) return { key: readKeyFile(keyFile, '--key-file', environment), source: '--key-file' };
  if (AGP_API_KEY) return { key: AGP_API_KEY, source: 'AGP_API_KEY' };
  if (!AGP_API_KEY_FILE) return null;
  return { key: readKeyFile(AGP_API_KEY_FILE, 'AGP_API_KEY_FILE', environment), source: 'AGP_API_KEY_FILE' };
}

/**
 * Decides which deployment a command works on: `--url`, else `AGP_URL`, else the local stack that `AGP_LOCAL_URL` names, which alone gets
 * the local key.
 */
export function readConnection(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Connection {
  const given = options.url ?? (environment.AGP_URL || undefined);
  const address = given ?? environment.AGP_LOCAL_URL;
  if (address === undefined) {
    throw new CliError(
      'No deployment is named: start one here with "npm start"; if one runs already, set AGP_DATA_DIR as it was set there, or AGP_URL and AGP_API_KEY.',
    );
  }
  const url = readUrl(address, options.url === undefined ? 'AGP_URL' : '--url');
  const local = given === undefined ? environment.AGP_LOCAL_API_KEY : undefined;
  const found = findKey(options, environment) ?? (local ? { key: local, source: 'the local key' } : null);
  if (found === null) {
    throw new CliError(`No API key for ${url}: set AGP_API_KEY, or name a file that holds one with --key-file.`);
  }
  if (!keyPattern.test(found.key))
    throw new UsageError(`${found.source} must hold one key, without spaces or line breaks`);
  return { url, key: found.key };
}
