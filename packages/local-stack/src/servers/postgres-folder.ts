/**
 * Where the private Postgres of a data folder keeps its data when we are root.
 *
 * Postgres runs as another user then, and the checkout may lie where that user cannot go (/root is closed to others). Its
 * folder is then made under /var/lib/agp-local, beside a file that names its owner, and the data folder has a symbolic link to
 * it. A data folder that has moved cannot be told from one that was removed until it is started again: what nobody seems to own
 * is removed only once it has not been used for long.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJson } from '@agp/core/json';
import { canWrite } from '../binaries/postgres-account.ts';
import type { Account } from './server.ts';

/** Root's own place for what other users must reach. */
export const outsideFolder = '/var/lib/agp-local';

/** A folder that Postgres may write to, and the user to run it as (none: ourselves). */
export interface PostgresPlace {
  folder: string;
  account?: Account;
}

interface Owner {
  dataFolder: string;
  /** The device of the data folder: a disk that is not mounted now must not pass for a checkout that was removed. */
  device: number;
}

/** The link of a data folder leads nowhere. Beginning anew would hide from the user that data is missing. */
export class MissingDataError extends Error {
  readonly code = 'data_missing';
  constructor(link: string, target: string) {
    super(
      `${link} is a link to ${target}, which does not exist: the data of Postgres was removed, or lies on another machine or disk. ` +
        'Bring it back, or remove the link to begin without data.',
    );
  }
}

const linkName = 'postgres';
const unusedMs = 30 * 24 * 3_600_000;

function readOwner(folder: string): Owner | null {
  try {
    return parseJson(readFileSync(join(folder, 'owner.json'))) as Owner;
  } catch {
    return null;
  }
}

function writeOwner(folder: string, dataFolder: string): void {
  const owner: Owner = { dataFolder, device: readDevice(dataFolder) };
  writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner), { mode: 0o600 });
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The device of the path, or of its nearest parent that exists. */
function readDevice(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.dev ?? readDevice(dirname(path));
}

/** When the data was last used, in Unix milliseconds: each start writes the owner, and each checkpoint of Postgres this file. */
function readLastUse(folder: string): number {
  const files = ['owner.json', join(linkName, 'data/global/pg_control')];
  return Math.max(...files.map((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Removes what was made for data folders that are gone, or no longer link to it, unless it was used in the last 30 days. */
function removeOrphans(outside: string): void {
  if (!existsSync(outside)) return;
  for (const name of readdirSync(outside)) {
    const folder = join(outside, name);
    const owner = readOwner(folder);
    if (owner === null || readDevice(owner.dataFolder) !== owner.device) continue;
    const linked = readLink(join(owner.dataFolder, linkName)) === join(folder, linkName);
    if (!linked && Date.now() - readLastUse(folder) > unusedMs) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Makes, or finds again, the folder for the Postgres of a data folder.
 *
 * @param account whom to run it as; undefined where we are not root
 * @param outside where to go when the account cannot reach the data folder
 * @throws MissingDataError if the data folder links to something that is not there
 */
export function placePostgres(
  dataFolder: string,
  account: Account | undefined,
  outside = outsideFolder,
): PostgresPlace {
  mkdirSync(dataFolder, { recursive: true });
  const inside = join(dataFolder, linkName);
  const link = readLink(inside);
  if (link !== null && !existsSync(link)) throw new MissingDataError(inside, link);
  if (account === undefined) {
    mkdirSync(inside, { recursive: true, mode: 0o700 });
    return { folder: inside };
  }
  if (link !== null && adoptLinked(link, dataFolder)) {
    removeOrphans(outside);
    return { folder: link, account: readAccount(link) };
  }
  // The link of a copied checkout leads to the original's data.
  if (link !== null) rmSync(inside);
  removeOrphans(outside);
  if (!existsSync(inside)) makeOwnFolder(inside, account);
  const owner = readAccount(inside);
  if (owner.uid !== 0 && canWrite(inside, owner)) return { folder: inside, account: owner };
  // Fails where data is in it that its owner can no longer reach, which is better than to leave it behind unseen.
  rmdirSync(inside);
  mkdirSync(outside, { recursive: true, mode: 0o755 });
  // Never a name that was there before: data of a checkout that has moved away from this path may still have it.
  const home = mkdtempSync(join(outside, 'data-'));
  chmodSync(home, 0o755);
  const folder = join(home, linkName);
  makeOwnFolder(folder, account);
  // The link first: a folder whose owner does not link to it passes for one that nobody has.
  symlinkSync(folder, inside);
  writeOwner(home, dataFolder);
  return { folder, account };
}

/** True if what the link leads to is this data folder's, or that of a checkout that has moved here. */
function adoptLinked(link: string, dataFolder: string): boolean {
  const owner = readOwner(dirname(link)) ?? { dataFolder }; // none yet: the start that made it was cut short
  const copied = owner.dataFolder !== dataFolder && readLink(join(owner.dataFolder, linkName)) === link;
  if (!copied) writeOwner(dirname(link), dataFolder);
  return !copied;
}

function makeOwnFolder(folder: string, account: Account): void {
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, account.uid, account.gid);
}

function readAccount(folder: string): Account {
  const { uid, gid } = statSync(folder);
  return { uid, gid };
}
