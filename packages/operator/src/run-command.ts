import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { toLinesText } from '@agp/core/text';
import { ConfigError, describeFailure } from '@agp/runtime';

/** A command was called wrongly: it ends with code 2, and prints its help after the message. */
export class UsageError extends Error {
  readonly code = 'usage';
}

/** A failure that the operator can mend, explained in the message, which is shown as it is. */
export class CommandError extends Error {
  readonly code = 'command_failed';
}

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

export interface Command<Options extends ParseArgsOptionsConfig> {
  help: string;
  /** Its options; `--help` is every command's. */
  options?: Options;
  /** Takes arguments that are no options. */
  allowPositionals?: boolean;
  run(values: Parsed<Options>['values'], positionals: string[]): Promise<void> | void;
}

export const exitCodes = 'Exit codes: 0 done, 1 failed, 2 wrong usage.';

let isImage = false;

/** From now on help names the image's commands in place of npm's scripts. */
export function nameByImage(): void {
  isImage = true;
}

const toShown = (help: string) =>
  isImage
    ? help.replace(
        /npm run (?:--silent )?([\w:-]+)(?: --(?= ))?/g,
        (_, name: string) => `operator ${name.replace(':', '-')}`,
      )
    : help;

/** Longer than any list that a command prints, in UTF-16 units. */
const maxOutput = 100_000;

/** Prints what a command did; names out of a database may hold any character. */
export const print = (text: string): void => console.log(toLinesText(text, maxOutput));

/** Runs a command of operators with the arguments of this process. Its exit code is 0, 1 for a failure, or 2 for wrong usage. */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  command: Command<Options>,
): Promise<void> {
  try {
    const { values, positionals } = parse(command);
    if (values.help) console.log(toShown(command.help));
    else await command.run(values as Parsed<Options>['values'], positionals);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${describe(error)}\n\n${toShown(command.help)}` : describe(error));
    process.exitCode = isUsage ? 2 : 1;
  }
}

function parse({ options, allowPositionals = false }: Command<ParseArgsOptionsConfig>) {
  const all: ParseArgsOptionsConfig = { ...options, help: { type: 'boolean', short: 'h' } };
  try {
    return parseArgs({ options: all, allowPositionals });
  } catch (error) {
    throw new UsageError(describeFailure(error));
  }
}

function describe(error: unknown): string {
  const isOurs = error instanceof UsageError || error instanceof CommandError || error instanceof ConfigError;
  return isOurs ? toLinesText(error.message, maxOutput) : describeFailure(error);
}
