import { readFileSync } from 'node:fs';

/** A variable does not say what a command needs. The message names it, never its value. */
export class VariableError extends Error {
  readonly code = 'invalid_variable';
}

/**
 * Reads a variable, or the file that the variable with `_FILE` appended names, as the services do. An empty one is unset.
 *
 * @throws VariableError when the file cannot be read
 */
export function readVariable(name: string): string | undefined {
  const file = process.env[`${name}_FILE`];
  if (!file) return process.env[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    throw new VariableError(`${name}_FILE: cannot read ${file}`);
  }
}
