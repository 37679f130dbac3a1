import type { Command, Option } from 'commander';

export interface CompletedOption {
  /** `--agent` */
  flag: string;
  description: string;
  /** Whether a value follows. */
  takesValue: boolean;
  /** The values there are; empty where any text is one. */
  values: readonly string[];
}

/** A place in the tree of commands, and what may follow there. */
export interface Place {
  /** Names of commands, with a space before each; empty for the program itself. */
  path: string;
  words: { name: string; description: string }[];
  options: CompletedOption[];
}

function describeOption({ long, description, required, optional, argChoices = [] }: Option): CompletedOption {
  return { flag: String(long), description, takesValue: required || optional, values: argChoices };
}

/** Every place where something can be completed, the program itself first. */
export function listPlaces(program: Command): Place[] {
  const shared = program.options.filter(({ long }) => long !== '--version').map(describeOption);
  const help = { flag: '--help', description: 'say what it takes', takesValue: false, values: [] };
  const visit = (command: Command, path: string): Place[] => [
    {
      path,
      words: [
        ...command.commands.map((each) => ({ name: each.name(), description: each.description().split(';')[0] ?? '' })),
        ...(command.registeredArguments[0]?.argChoices ?? []).map((name) => ({ name, description: '' })),
      ],
      options: [
        ...(command === program ? program.options.filter(({ long }) => long === '--version') : command.options).map(
          describeOption,
        ),
        ...shared,
        help,
      ],
    },
    ...command.commands.flatMap((each) => visit(each, `${path} ${each.name()}`)),
  ];
  return visit(program, '');
}

/** Options that a value follows, wherever they are. */
export function listValueFlags(places: readonly Place[]): string[] {
  return [
    ...new Set(places.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ flag }) => flag))),
  ];
}
