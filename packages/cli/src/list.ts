import { maxPageSize } from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { z } from 'zod';
import { writeQuery } from './api.ts';
import { addCommand, addQuery, addReason, type ReasonOption } from './arguments.ts';
import { findAgentId } from './find.ts';
import type { Shell } from './shell.ts';
import type { Column } from './table.ts';

/** A list of the API as a command: what its query takes are the command's options. */
interface List<Row> {
  path: string;
  schema: z.ZodType<Row[]>;
  columns: Column<Row>[];
  query?: z.ZodObject;
  /** The whole command with some of its options. */
  example?: string;
  /** What a table needs beside what the API gives unasked. */
  expand?: string;
  /** The API has it as CSV too. */
  csv?: true;
  /** Entries, if the user does not say how many; as the API does if not given. */
  limit?: number;
  choices?: Readonly<Record<string, readonly string[]>>;
  /** The group's name alone means it. */
  isDefault?: true;
  /** Follows it until a signal, with `--watch`. @param filter what the query has */
  watch?: { summary: string; follow(filter: Record<string, string | undefined>): Promise<void> };
}

type Given = Record<string, unknown>;

/** What the user gave of a query, by the API's names. */
export async function readQuery(
  { api }: Shell,
  members: ReadonlyMap<string, string>,
  given: Given,
): Promise<Record<string, string | undefined>> {
  const query = Object.fromEntries([...members].map(([option, name]) => [name, given[option]?.toString()]));
  return { ...query, agent_id: query.agent_id && (await findAgentId(api, query.agent_id)) };
}

/** Adds a list to a group or the program. */
export function addList<Row>(group: Command, shell: Shell, name: string, summary: string, list: List<Row>): Command {
  const { path, query = z.object({}), expand, csv: hasCsv = false, example = `${group.name()} ${name}`, watch } = list;
  const command = addCommand(group, name, summary, example, list.isDefault);
  const members = addQuery(command, query, list);
  const isPaged = 'limit' in query.shape;
  if (hasCsv) addCsv(command);
  if (hasCsv && isPaged)
    command.option('--all', 'with --csv or --json: every page, not only --limit; as JSON a page a line');
  if (watch) command.option('--watch', watch.summary);
  return command.action(async ({ csv, all, watch: isWatched, ...given }: Given) => {
    const asked = await readQuery(shell, members, given);
    if (isWatched) return watch?.follow(asked);
    const filter = { ...asked, ...(all === true && { limit: maxPageSize }) };
    const address = writeQuery(path, { ...filter, expand: shell.json ? undefined : expand });
    if (csv || all) return shell.showPages(address, { csv: csv === true, all: all === true });
    await shell.showList(address, list.schema, list.columns, Number(filter.limit));
  });
}

/** The option of a list that the API also has as CSV. */
export function addCsv(command: Command): Command {
  return command.option('--csv', 'print CSV; text that a spreadsheet would compute has an apostrophe before it');
}

interface Removal {
  example: string;
  /** What is removed stands behind it. */
  path: string;
  /** What it is then, such as `deleted`. */
  now: string;
}

/** Adds a command that removes one thing by its id or name. @param usage such as `delete <id>` */
export function addRemoval(
  group: Command,
  shell: Shell,
  usage: string,
  summary: string,
  { example, path, now }: Removal,
): void {
  addReason(addCommand(group, usage, summary, example)).action(async (id: string, { reason }: ReasonOption) => {
    await shell.api.delete(`${path}/${encodeURIComponent(id)}`, { reason });
    if (!shell.json) await shell.terminal.print(`${toLineText(id)} is ${now}`);
  });
}
