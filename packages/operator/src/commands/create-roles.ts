import { join, resolve } from 'node:path';
import { createRoles, ensureDatabase, handOver, MissingPasswordError, refuseLargeObjects, tryForLocks } from '@agp/db';
import { type RoleKey, roleNames } from '@agp/db/roles';
import { loadConfig } from '@agp/runtime';
import { z } from 'zod';
import { explainAway, readDatabaseUrl, withDatabase } from '../connect.ts';
import { CommandError, exitCodes, print, runCommand } from '../run-command.ts';
import { readSecret } from '../secrets/secrets-folder.ts';

const roles = Object.keys(roleNames) as RoleKey[];
const toVariable = (role: RoleKey) => `AGP_${role.toUpperCase()}_PASSWORD`;
const toKey = (role: RoleKey) => `agp${role.charAt(0).toUpperCase()}${role.slice(1)}Password`;
/** SCRAM would normalise other characters, so a client that does not could never log in. */
const password = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .optional();
const schema = z.object(Object.fromEntries(roles.map((role) => [toKey(role), password])));

function readPasswords(folder: string | undefined): Partial<Record<RoleKey, string>> {
  if (folder !== undefined) {
    const path = resolve(folder);
    return Object.fromEntries(roles.map((role) => [role, readRolePassword(path, role)]));
  }
  const given = loadConfig(schema, process.env);
  return Object.fromEntries(roles.map((role) => [role, given[toKey(role)]]));
}

/** @throws CommandError naming the file */
function readRolePassword(folder: string, role: RoleKey): string {
  const path = `admin/${role}-password`;
  const text = readSecret(folder, path);
  if (text === undefined)
    throw new CommandError(`--folder: ${join(folder, path)} is not there: run npm run secrets first`);
  if (!password.safeParse(text).success)
    throw new CommandError(`--folder: ${join(folder, path)} must be printable ASCII without spaces`);
  return text;
}

await runCommand({
  help: `Makes the database, if it is missing, and the Postgres roles of the product, with their passwords, and hands the database to agp_migrator. Run it before the first migrate, and to change a password; safe to run again.

usage: npm run create-roles
       npm run create-roles -- --folder secrets    with the passwords that npm run secrets made there

Reads DATABASE_URL, which names an administrator, and ${roles.map(toVariable).join(', ')} (each also as a file, with _FILE). ${exitCodes}`,
  options: { folder: { type: 'string' } },
  async run({ folder }) {
    const passwords = readPasswords(folder);
    await ensureDatabase(readDatabaseUrl()).catch((error: unknown) => {
      throw explainAway(error);
    });
    await withDatabase('create-roles', { statementTimeoutMs: 600_000 }, async (db) => {
      const work = tryForLocks(db, 'the database cannot be handed to agp_migrator now', () =>
        db.transaction().execute(async (transaction) => {
          await createRoles(transaction, passwords);
          return { owners: await handOver(transaction), open: await refuseLargeObjects(transaction) };
        }),
      );
      const { owners, open } = await work.catch((error: unknown) => {
        if (!(error instanceof MissingPasswordError)) throw error;
        throw new CommandError(`${toVariable(error.role)} is not set: ${error.message}`);
      });
      print(`made or checked ${roles.map((role) => roleNames[role]).join(', ')}`);
      for (const owner of owners)
        print(
          `${owner}, the former owner, is still a member of agp_migrator: REVOKE agp_migrator FROM ${owner} once nothing connects as it`,
        );
      if (open.length > 0)
        print(
          `every role may store large objects in this database, which only a superuser ends: REVOKE EXECUTE ON FUNCTION ${open.join(', ')} FROM PUBLIC`,
        );
    });
  },
});
