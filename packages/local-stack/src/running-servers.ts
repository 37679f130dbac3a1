import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';

/** Where a running local stack's servers are, as the variables of an operator's commands, by the role that these work as. */
export interface RunningServers {
  migrator: { DATABASE_URL: string };
  operator: { DATABASE_URL: string; NATS_URL: string };
}

/** Where a running local stack is reached. */
export interface RunningServices {
  proxyUrl: string;
  managementUrl: string;
}

const serversFile = 'servers.json';
const servicesFile = 'services.json';

/** Notes where the servers are, for commands that an operator runs beside the stack. The URLs hold passwords. */
export function writeRunningServers(dataFolder: string, servers: RunningServers): void {
  writeNote(join(dataFolder, serversFile), servers);
}

/** What the running stack noted; empty where none runs, unless the last was killed. */
export function readRunningServers(dataFolder: string): Partial<RunningServers> {
  return readNote<RunningServers>(join(dataFolder, serversFile));
}

/** Notes where the services listen, for the demo. */
export function writeRunningServices(dataFolder: string, services: RunningServices): void {
  writeNote(join(dataFolder, servicesFile), services);
}

/** What the running stack noted; empty where none runs, unless the last was killed. */
export function readRunningServices(dataFolder: string): Partial<RunningServices> {
  return readNote<RunningServices>(join(dataFolder, servicesFile));
}

/** Removes both notes: nothing listens there any more. */
export function removeRunningNotes(dataFolder: string): void {
  for (const file of [serversFile, servicesFile]) rmSync(join(dataFolder, file), { force: true });
}

function writeNote(file: string, note: object): void {
  writeFileSync(file, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
}

function readNote<Note>(file: string): Partial<Note> {
  try {
    return parseJson(readFileSync(file)) as Note;
  } catch {
    return {};
  }
}
