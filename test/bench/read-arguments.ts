import { parseArgs } from 'node:util';

/** A command's options, each with its default, whose type is its type. */
type Options = Record<string, number | string | boolean>;

type Values<Given extends Options> = {
  [Name in keyof Given]: Given[Name] extends number ? number : Given[Name] extends boolean ? boolean : string;
};

/**
 * Reads the options of a benchmark or another long run from this process's arguments. `--help` prints them and ends the process with code 0; an option that is
 * unknown, or no number where its default is one, ends it with code 2.
 *
 * @param command as npm knows it, for the help
 */
export function readArguments<const Given extends Options>(command: string, defaults: Given): Values<Given> {
  const read = toValues(process.argv.slice(2), defaults);
  if (read === 'help' || 'wrong' in read) {
    const shown = Object.entries(defaults).map(([name, value]) =>
      typeof value === 'boolean' ? `[--${name}]` : `[--${name} ${value === '' ? '...' : value}]`,
    );
    const usage = `usage: npm run ${command} -- ${shown.join(' ')}`;
    if (read === 'help') console.log(usage);
    else console.error(`${read.wrong}\n\n${usage}`);
    process.exit(read === 'help' ? 0 : 2);
  }
  return read.values;
}

/** @returns the values by name, what is wrong, or that help is asked for */
export function toValues<Given extends Options>(
  args: string[],
  defaults: Given,
): 'help' | { wrong: string } | { values: Values<Given> } {
  const typeOf = (value: Options[string]) => (typeof value === 'boolean' ? ('boolean' as const) : ('string' as const));
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: typeOf(value) }] as const),
  );
  let given: Record<string, string | boolean | undefined>;
  try {
    given = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    return { wrong: (error as Error).message };
  }
  if (given.help) return 'help';
  const values: Options = { ...defaults };
  for (const [name, text] of Object.entries(given)) {
    const isNumber = typeof defaults[name] === 'number';
    if (isNumber && !(String(text).trim() !== '' && Number(text) >= 0)) {
      return { wrong: `--${name} must be a number, 0 or more, not "${text}"` };
    }
    values[name] = isNumber ? Number(text) : (text as string | boolean);
  }
  return { values: values as Values<Given> };
}
