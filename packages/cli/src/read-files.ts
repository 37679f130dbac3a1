import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { Policy } from '@agp/policy';
import { readPolicy } from '@agp/policy/yaml';
import { UsageError } from './cli-error.ts';

/** A policy, and as it was written. */
export interface WrittenPolicy {
  policy: Policy;
  text: string;
}

/** No policy comes near it. */
const maxFile = 1024 * 1024;

/** @throws UsageError that names the path */
function reading<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${path}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
  }
}

function listFiles(path: string): string[] {
  if (!reading(path, () => statSync(path).isDirectory())) return [path];
  const names = reading(path, () => readdirSync(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name));
  if (names.length === 0) throw new UsageError(`${path}: holds no .yaml, .yml or .json file`);
  return names.sort().map((name) => join(path, name));
}

function readText(file: string): string {
  if (reading(file, () => statSync(file).size) > maxFile) throw new UsageError(`${file}: is larger than 1 MiB`);
  return reading(file, () => readFileSync(file, 'utf8'));
}

/**
 * The policies of all these files, and of all in these folders that end in `.yaml`, `.yml` or `.json`; `---` begins another one.
 * @throws UsageError with file, line and field of each fault
 */
export function readPolicyFiles(paths: readonly string[]): WrittenPolicy[] {
  const faults: string[] = [];
  const read = new Map<string, WrittenPolicy & { file: string }>();
  for (const file of new Set(paths.flatMap(listFiles).map((path) => normalize(path)))) {
    let line = 1;
    for (const text of readText(file).split(/^---.*$/m)) {
      if (text.replace(/^\s*#.*$/gm, '').trim() === '') {
        line += countLines(text);
        continue;
      }
      const { policy, faults: found } = readPolicy(text);
      for (const { from, message } of found)
        faults.push(`${file}:${line + countLines(text.slice(0, from))}: ${message}`);
      const other = policy && read.get(policy.name);
      if (other) faults.push(`${file}:${line}: ${policy.name} is also in ${other.file}`);
      else if (policy) read.set(policy.name, { policy, text: `${text.trim()}\n`, file });
      line += countLines(text);
    }
  }
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  if (read.size === 0) throw new UsageError(`${paths.join(', ')}: no policy is there`);
  return [...read.values()];
}

const countLines = (text: string): number => text.split('\n').length - 1;
