import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';

/** Notes of a running local stack in its data folder, each in a file `<name>.json`. */
export interface Notes {
  /** Variables for the operators' commands, by the role that they work as. The URLs hold passwords. */
  servers: {
    migrator: { DATABASE_URL: string };
    operator: { DATABASE_URL: string; NATS_URL: string };
  };
  services: { proxyUrl: string; managementUrl: string };
}

const toFile = (dataFolder: string, name: keyof Notes) => join(dataFolder, `${name}.json`);

export function writeNote<Name extends keyof Notes>(dataFolder: string, name: Name, note: Notes[Name]): void {
  writeFileSync(toFile(dataFolder, name), `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
}

/** Empty if no stack runs; stale if the last one was killed. */
export function readNote<Name extends keyof Notes>(dataFolder: string, name: Name): Partial<Notes[Name]> {
  try {
    return parseJson(readFileSync(toFile(dataFolder, name))) as Notes[Name];
  } catch {
    return {};
  }
}

export function removeNotes(dataFolder: string): void {
  for (const name of ['servers', 'services'] as const) rmSync(toFile(dataFolder, name), { force: true });
}
