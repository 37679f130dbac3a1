import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';
import { StartError } from '../local-stack-config.ts';

interface ProviderEntry {
  id: string;
  api: string;
  base_url: string;
  geo?: string;
}

/** The demo provider in each of its formats. */
export const listDemoProviders = (demoUrl: string): ProviderEntry[] => [
  { id: 'demo', api: 'openai', base_url: `${demoUrl}/openai` },
  { id: 'demo-anthropic', api: 'anthropic', base_url: `${demoUrl}/anthropic` },
  { id: 'demo-gemini', api: 'gemini', base_url: `${demoUrl}/gemini` },
  { id: 'demo-bedrock', api: 'bedrock', base_url: `${demoUrl}/bedrock`, geo: 'eu' },
];

/** Writes the providers file: the user’s own entries, and the demo provider's formats under ids that are free. */
export function writeProvidersFile(dataFolder: string, demoUrl: string, own: (ProviderEntry | null)[]): string {
  const file = join(dataFolder, 'providers.json');
  const entries = [...own, ...listDemoProviders(demoUrl).filter(({ id }) => !own.some((entry) => entry?.id === id))];
  // The user's entries may hold private names.
  writeFileSync(file, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 });
  return file;
}

/** The entries of the user's providers file; the proxy checks them. */
export function readOwnProviders(file: string | undefined): (ProviderEntry | null)[] {
  if (file === undefined) return [];
  try {
    const entries: unknown = parseJson(readFileSync(file));
    if (Array.isArray(entries)) return entries as (ProviderEntry | null)[];
    throw new StartError(`PROVIDERS_FILE: ${file} holds no list`);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`PROVIDERS_FILE: cannot read ${file}: ${(error as Error).message}`);
  }
}
