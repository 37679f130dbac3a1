import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { readText } from '@agp/documents/yaml';
import type { z } from 'zod';
import { UsageError } from './cli-error.ts';

/** What a file declares, and as it was written. */
export interface Written<Value> {
  value: Value;
  text: string;
}

/** No policy or budget comes near it. */
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

function readFile(file: string): string {
  if (reading(file, () => statSync(file).size) > maxFile) throw new UsageError(`${file}: is larger than 1 MiB`);
  return reading(file, () => readFileSync(file, 'utf8'));
}

/**
 * What is declared in all these files, and in all of these folders that end in `.yaml`, `.yml` or `.json`; `---` begins another one.
 * @throws UsageError with file, line and field of each fault
 */
export function readFiles<Value extends { name: string }>(
  paths: readonly string[],
  { schema, noun }: { schema: z.ZodType<Value>; noun: string },
): Written<Value>[] {
  const faults: string[] = [];
  const read = new Map<string, Written<Value> & { file: string }>();
  for (const file of new Set(paths.flatMap(listFiles).map((path) => normalize(path)))) {
    let line = 1;
    for (const text of readFile(file).split(/^---.*$/m)) {
      if (text.replace(/^\s*#.*$/gm, '').trim() === '') {
        line += countLines(text);
        continue;
      }
      const { value, faults: found } = readText(text, schema, noun);
      for (const { from, message } of found)
        faults.push(`${file}:${line + countLines(text.slice(0, from))}: ${message}`);
      const other = value && read.get(value.name);
      if (other) faults.push(`${file}:${line}: ${value.name} is also in ${other.file}`);
      else if (value) read.set(value.name, { value, text: `${text.trim()}\n`, file });
      line += countLines(text);
    }
  }
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  if (read.size === 0) throw new UsageError(`${paths.join(', ')}: no ${noun} is there`);
  return [...read.values()];
}

const countLines = (text: string): number => text.split('\n').length - 1;

/** All of standard input. @param most bytes @throws UsageError if somebody would have to type it, or for more */
export async function readInput(what: string, most: number): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError(`the ${what} is read from standard input: ... try < ${what}`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) throw new UsageError(`the ${what} is longer than ${most} bytes`);
  }
  return Buffer.concat(chunks).toString();
}
