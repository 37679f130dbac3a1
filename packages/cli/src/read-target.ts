import { InvalidArgumentError } from 'commander';
import { UsageError } from './cli-error.ts';

export interface TargetOptions {
  global?: boolean;
  default?: boolean;
}

/** The agents that a cap or limit applies to, and its value. */
export type Target<Value> = { value: Value } & ({ kind: 'global' | 'default' } | { kind: 'agent'; agent: string });

function parseValue<Value>(text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new UsageError(`${text}: ${error.message}`);
    throw error;
  }
}

/**
 * Reads `<agent> <value>`, or only a value after `--global` or `--default`.
 *
 * @throws UsageError
 */
export function readTarget<Value>(
  words: readonly string[],
  options: TargetOptions,
  parse: (text: string) => Value,
): Target<Value> {
  const [first = '', second] = words;
  if (options.global && options.default) throw new UsageError('--global and --default exclude each other');
  if (options.global || options.default) {
    if (words.length !== 1)
      throw new UsageError(`${options.global ? '--global' : '--default'} takes a value and no agent`);
    return { kind: options.global ? 'global' : 'default', value: parseValue(first, parse) };
  }
  if (second === undefined || words.length > 2)
    throw new UsageError('name one agent and a value for it; --help shows how');
  return { kind: 'agent', agent: first, value: parseValue(second, parse) };
}
