import { isDeepStrictEqual } from 'node:util';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { createPatch } from 'diff';
import type { z } from 'zod';
import { addCommand, addReason, type ReasonOption } from './arguments.ts';
import { CliError } from './cli-error.ts';
import { readFiles, type Written } from './read-files.ts';
import type { Shell } from './shell.ts';

interface Versioned {
  id: string;
  version: number;
}

/** What files declare by name, such as policies, and how it is stored. */
export interface Kind<Value extends { name: string }, Stored extends Versioned> {
  noun: string;
  plural: string;
  /** Its commands begin so, such as `alerts rules`; as the plural if not given. */
  commands?: string;
  /** Where one is made, and behind which each has its id. */
  path: string;
  listPath: string;
  list: z.ZodType<Stored[]>;
  one: z.ZodType<Stored>;
  schema: z.ZodType<Value>;
  declaredBy: (stored: Stored) => Value;
  toYaml: (stored: Stored) => string;
  isSame: (stored: Stored, written: Written<Value>) => boolean;
  /** What a file says, as it may be shown; all of its text if not given. */
  toShown?: (written: Written<Value>) => string;
  /** @param stored undefined if it is not there yet */
  toBody: (written: Written<Value>, stored?: Stored) => unknown;
  /** Said of it behind its name. */
  describeChange: (stored: Stored, wanted: Value) => string;
  /** Asks before a change what it will do; lines to show. */
  preview: (shell: Shell, wanted: Value) => Promise<string[]>;
  /** Said once of what was made; lines to show. */
  describeMade?: (made: Stored) => string[];
}

/** Whether a file says what is stored; one with comments says more than what has no text. @param isSame whether both mean the same */
export const saysTheSame = (stored: string | null, { text }: Written<unknown>, isSame: boolean): boolean =>
  stored === null ? isSame && !text.includes('#') : stored === text;

const show = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));

/** `, amount 5 -> 7` of each member that differs. */
export function listChanges(before: object, after: object): string {
  const [old, wanted] = [before, after] as Record<string, unknown>[];
  return Object.keys({ ...old, ...wanted })
    .filter((member) => !isDeepStrictEqual(old?.[member], wanted?.[member]))
    .map((member) => `, ${member} ${show(old?.[member])} -> ${show(wanted?.[member])}`)
    .join('');
}

export interface FileOption {
  filename: string[];
}

export const addFile = (command: Command) =>
  command.requiredOption('-f, --filename <path...>', 'files in YAML or JSON, or folders of them');

export const readStored = async <Value extends { name: string }, Stored extends Versioned>(
  { api }: Shell,
  { listPath, list }: Kind<Value, Stored>,
): Promise<Stored[]> => (await api.get(listPath, list)).data;

/** @throws CliError if none has the name, or the id */
export async function findStored<Value extends { name: string }, Stored extends Versioned>(
  shell: Shell,
  kind: Kind<Value, Stored>,
  name: string,
): Promise<Stored> {
  const found = (await readStored(shell, kind)).find((each) => kind.declaredBy(each).name === name || each.id === name);
  if (found !== undefined) return found;
  const { noun, plural, commands = plural } = kind;
  throw new CliError(`no ${noun} is named ${toLineText(name)}; "${commands} list" shows all ${plural}`);
}

/** Adds `get`, or another verb: one as YAML. */
export function addGet<Value extends { name: string }, Stored extends Versioned>(
  group: Command,
  shell: Shell,
  kind: Kind<Value, Stored>,
  verb = 'get',
): void {
  const { noun, plural, commands = plural } = kind;
  addCommand(group, `${verb} <name>`, `show a ${noun} as YAML, as apply takes it`, `${commands} ${verb} NAME`).action(
    async (name: string) => {
      const stored = await findStored(shell, kind, name);
      await shell.terminal.print(shell.json ? JSON.stringify(stored) : kind.toYaml(stored).trimEnd());
    },
  );
}

interface Planned<Value, Stored> {
  name: string;
  verb: 'created' | 'configured' | 'unchanged' | 'deleted';
  stored: Stored | null;
  wanted: Written<Value> | null;
}

function plan<Value extends { name: string }, Stored extends Versioned>(
  { declaredBy, isSame }: Kind<Value, Stored>,
  stored: readonly Stored[],
  wanted: readonly Written<Value>[],
  prunes: boolean,
): Planned<Value, Stored>[] {
  const named = new Map(stored.map((each) => [declaredBy(each).name, each]));
  const names = new Set(wanted.map(({ value }) => value.name));
  const ownerOf = (each: Stored) => JSON.stringify((each as { team?: unknown }).team ?? null);
  const known = [...names].flatMap((name) => named.get(name) ?? []);
  // What teams wrote is not in the installation's files, nor the reverse.
  const owners = new Set(known.length === 0 ? ['null'] : known.map(ownerOf));
  const others = prunes ? [...named].filter(([name, each]) => !names.has(name) && owners.has(ownerOf(each))) : [];
  return [
    ...wanted.map((each): Planned<Value, Stored> => {
      const { name } = each.value;
      const known = named.get(name) ?? null;
      const verb = known === null ? 'created' : isSame(known, each) ? 'unchanged' : 'configured';
      return { name, verb, stored: known, wanted: each };
    }),
    ...others.map(([name, each]) => ({ name, verb: 'deleted' as const, stored: each, wanted: null })),
  ];
}

/** `apply`, `diff` and `delete`: what files say, and what is stored. What somebody else changed since it was read is left alone. */
export function addApplyCommands<Value extends { name: string }, Stored extends Versioned>(
  group: Command,
  shell: Shell,
  kind: Kind<Value, Stored>,
): void {
  const { noun, plural, path, one, commands = plural } = kind;

  /** Lines to show. */
  async function carryOut({ name, stored, wanted }: Planned<Value, Stored>, reason?: string): Promise<string[]> {
    const [at, body] = [stored ? `${path}/${stored.id}` : path, wanted && kind.toBody(wanted, stored ?? undefined)];
    try {
      if (wanted === null) await shell.api.delete(at, { reason }, stored?.version);
      else {
        const { data } = await shell.api.send(stored ? 'PUT' : 'POST', at, body, one, { reason }, stored?.version);
        if (stored === null) return kind.describeMade?.(data) ?? [];
      }
      return [];
    } catch (error) {
      if (error instanceof CliError) error.message = `${noun} ${name}: ${error.message}`;
      throw error;
    }
  }

  const apply = addFile(
    addCommand(group, 'apply', `make ${plural} what files say`, `${commands} apply -f ${plural}/ --dry-run`),
  );
  addReason(apply)
    .option('--dry-run', 'say what would be changed, and change nothing')
    .option('--prune', `delete all ${plural} that the files do not have`)
    .action(async (options: FileOption & ReasonOption & { dryRun?: boolean; prune?: boolean }) => {
      const written = readFiles(options.filename, kind);
      for (const each of plan(kind, await readStored(shell, kind), written, options.prune === true)) {
        const { name, verb, stored, wanted } = each;
        const effect = verb === 'unchanged' || wanted === null ? [] : await kind.preview(shell, wanted.value);
        if (!options.dryRun && verb !== 'unchanged') effect.push(...(await carryOut(each, options.reason)));
        const how = stored && wanted && verb !== 'unchanged' ? kind.describeChange(stored, wanted.value) : '';
        const line = `${noun} ${name} ${verb}${how}${options.dryRun ? ' (dry run)' : ''}`;
        await shell.terminal.print([line, ...effect.map((words) => `  ${words}`)].join('\n'));
      }
    });

  const { toShown = ({ text }) => text } = kind;
  addFile(
    addCommand(group, 'diff', 'what apply would change; exit code 1 if it would', `${commands} diff -f ${plural}/`),
  ).action(async ({ filename }: FileOption) => {
    const planned = plan(kind, await readStored(shell, kind), readFiles(filename, kind), false);
    const changed = planned.filter(({ verb }) => verb !== 'unchanged');
    for (const { name, stored, wanted } of changed)
      await shell.terminal.print(
        createPatch(name, stored ? kind.toYaml(stored) : '', wanted ? toShown(wanted) : '', 'stored', 'file').trimEnd(),
      );
    if (changed.length > 0) throw new CliError(`${changed.length} of ${planned.length} ${plural} differ`);
  });

  addReason(addCommand(group, 'delete <name>', `delete a ${noun}`, `${commands} delete NAME`)).action(
    async (name: string, { reason }: ReasonOption) => {
      const found = await findStored(shell, kind, name);
      await shell.api.delete(`${path}/${found.id}`, { reason });
      await shell.terminal.print(`${noun} ${kind.declaredBy(found).name} deleted`);
    },
  );
}
