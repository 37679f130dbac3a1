import { createRoles, ensureDatabase, handOver, MissingPasswordError, refuseLargeObjects } from '@agp/db';
import { type RoleKey, roleNames } from '@agp/db/roles';
import { readVariable, VariableError } from '../database/read-variable.ts';
import { runDatabaseCommand } from '../database/run-database-command.ts';

const keys = Object.keys(roleNames) as RoleKey[];
const toVariable = (role: RoleKey) => `AGP_${role.toUpperCase()}_PASSWORD`;

/** The passwords that are given. They reach Postgres as a digest of printable ASCII alone. */
function readPasswords(): Partial<Record<RoleKey, string>> {
  const passwords: Partial<Record<RoleKey, string>> = {};
  for (const role of keys) {
    const password = readVariable(toVariable(role));
    if (password === undefined) continue;
    if (!/^[\x21-\x7e]+$/.test(password))
      throw new VariableError(`${toVariable(role)}: must be printable ASCII without spaces`);
    passwords[role] = password;
  }
  return passwords;
}

process.exitCode = await runDatabaseCommand({
  name: 'create-roles',
  purpose:
    'Makes the database, if it is missing, and the Postgres roles of the product, with their passwords, and hands the database to agp_migrator. Run it before the first migrate, and to change a password; safe to run again.',
  reads: `which names an administrator, and ${keys.map(toVariable).join(', ')} (each also as a file, with _FILE)`,
  statementTimeoutMs: 600_000,
  async prepare(url) {
    readPasswords();
    await ensureDatabase(url);
  },
  async work(db) {
    const passwords = readPasswords();
    try {
      const open = await db.transaction().execute(async (transaction) => {
        await createRoles(transaction, passwords);
        await handOver(transaction);
        return refuseLargeObjects(transaction);
      });
      return [
        `made or checked ${keys.map((role) => roleNames[role]).join(', ')}`,
        ...(open.length === 0
          ? []
          : [
              `every role may store large objects in this database, which only a superuser ends: REVOKE EXECUTE ON FUNCTION ${open.join(', ')} FROM PUBLIC`,
            ]),
      ].join('\n');
    } catch (error) {
      if (error instanceof MissingPasswordError)
        throw new VariableError(`${toVariable(error.role)} is not set: ${error.message}`);
      throw error;
    }
  },
});
