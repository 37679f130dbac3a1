import { access, constants, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** Several times what a test run keeps there at once, in bytes. */
const enoughBytes = 4 * 1024 ** 3;

/**
 * Where the servers of a test run keep their data: in memory if there is plenty, unless `TMPDIR` is set. On a disk, each copy of a
 * database folder costs most of a second of a core.
 */
export async function chooseTestFolder(memory = '/dev/shm', enough = enoughBytes): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize < enough ? tmpdir() : memory;
  } catch {
    return tmpdir();
  }
}
