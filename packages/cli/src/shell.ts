import { writeCsvLine } from '@agp/core/csv';
import { escapeJson, toLinesText } from '@agp/core/text';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  type Api,
  type ApiAnswer,
  type ConnectionOptions,
  connectApi,
  readConnection,
  readNext,
  readSecret,
} from './api.ts';
import { CliError, UsageError } from './cli-error.ts';
import { type Column, formatFields, formatTable } from './table.ts';
import { openTerminal, type Paint, type Terminal } from './terminal.ts';

function noteKept(terminal: Terminal, since: string | null): void {
  if (since !== null)
    terminal.note(`events are kept since ${since.slice(0, 10)}: earlier ones were removed for their age`);
}

/** On a terminal control characters are shown by number. */
async function writeLines(terminal: Terminal, text: string): Promise<void> {
  await terminal.write(
    terminal.isInteractive ? toLinesText(text.replaceAll('\r', ''), Number.POSITIVE_INFINITY) : text,
  );
}

/** Prints a list as the CSV received, as it comes. */
async function showCsv(api: Api, terminal: Terminal, path: string, all: boolean): Promise<void> {
  let isFirst = true;
  for (let next: string | null = path; next !== null; isFirst = false) {
    const response: Response = await api.open(next, 'text/csv');
    if (!response.headers.get('content-type')?.startsWith('text/csv'))
      throw new CliError(`${next} has no CSV: is the management API older than this command?`);
    if (isFirst) noteKept(terminal, response.headers.get('x-kept-since'));
    let inHead = !isFirst;
    const decoded = response.body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
    try {
      for await (const chunk of decoded ?? []) {
        // No column's name holds a line break.
        const end = inHead ? chunk.indexOf('\n') + 1 : 0;
        if (inHead && end === 0) continue;
        inHead = false;
        const rest = chunk.slice(end);
        await writeLines(terminal, rest);
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw new CliError('The answer broke off: what was printed is not complete.');
    }
    next = all ? readNext(response) : null;
  }
}

interface GlobalOptions extends ConnectionOptions {
  json?: boolean;
  /** False after `--no-color`. */
  color: boolean;
}

export interface Shell {
  /** Whether `--json` was given. */
  readonly json: boolean;
  readonly terminal: Terminal;
  /** The API of the deployment that this command is for. */
  readonly api: Api;
  /** The key that the file has which `--file` named, else a variable, else the file that the variable with `_FILE` behind its name has. */
  readSecret(variable: string, file?: string): string;
  /** Prints an answer as the JSON received, or formatted. */
  show<Data>(answer: ApiAnswer<Data>, format: (data: Data, paint: Paint) => string): Promise<void>;
  /** A table that fits the terminal; names the columns that had no room. */
  drawTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string;
  /** Prints a list as the JSON received, or as a table. */
  showRows<Data, Row>(
    answer: ApiAnswer<Data>,
    pick: (data: Data) => readonly Row[],
    columns: Column<Row>[],
    limit?: number,
  ): Promise<void>;
  /** Reads a list from the API and prints it like {@link showRows}. @param limit of its entries: there may be more */
  showList<Row>(path: string, schema: z.ZodType<Row[]>, columns: Column<Row>[], limit?: number): Promise<void>;
  /** Prints a list as the CSV that the API has of it, or all its pages as the JSON received, a page a line. */
  showPages(path: string, options?: { csv?: boolean; all?: boolean }): Promise<void>;
  /** Prints rows of cells as CSV. */
  writeCsv(rows: readonly (readonly unknown[])[]): Promise<void>;
  /** Prints one object as the JSON received, or by its fields. */
  showFields<Data>(answer: ApiAnswer<Data>, pick: (data: Data) => [name: string, value: string][]): Promise<void>;
  /** The same for what was made with a secret. */
  showSecret<Data>(answer: ApiAnswer<Data>, pick: (data: Data) => [name: string, value: string][]): Promise<void>;
}

/** Makes a program's shell, which reads the options when it is used, after they were parsed. */
export function createShell(program: Command, environment: NodeJS.ProcessEnv): Shell {
  const options = () => program.opts<GlobalOptions>();
  const shell: Shell = {
    get json() {
      return options().json === true;
    },
    get terminal() {
      return openTerminal(options().color);
    },
    get api() {
      return connectApi(readConnection(options(), environment));
    },
    readSecret: (variable, file) => readSecret(variable, environment, file),
    async show(answer, format) {
      await shell.terminal.print(shell.json ? escapeJson(answer.text) : format(answer.data, shell.terminal.paint));
    },
    drawTable(rows, columns) {
      const { paint, width } = shell.terminal;
      const { text, omitted } = formatTable(rows, columns, paint, width);
      if (omitted.length > 0)
        shell.terminal.note(`hidden at this width: ${omitted.join(', ')}; widen the terminal, or use --json`);
      return text;
    },
    async showRows(answer, pick, columns, limit) {
      const rows = pick(answer.data);
      noteKept(shell.terminal, answer.keptSince);
      if (rows.length === 0 && !shell.json) return shell.terminal.note('nothing to show');
      await shell.show(answer, () => shell.drawTable(rows, columns));
      if (answer.next !== null || rows.length === limit)
        shell.terminal.note(`showing the first ${rows.length}; use --limit, --from or --to for others`);
    },
    showList: async (path, schema, columns, limit) =>
      shell.showRows(await shell.api.get(path, schema), (rows) => rows, columns, limit),
    async showPages(path, { csv = true, all = false } = {}) {
      if (csv && shell.json) throw new UsageError('--csv and --json exclude each other');
      if (csv) return showCsv(shell.api, shell.terminal, path, all);
      if (!shell.json) throw new UsageError('--all goes with --csv or --json');
      for (let next: string | null = path; next !== null; ) {
        const page: ApiAnswer<unknown[]> = await shell.api.get(next, z.array(z.unknown()));
        await shell.show(page, String);
        next = page.next;
      }
    },
    writeCsv: (rows) => writeLines(shell.terminal, rows.map(writeCsvLine).join('')),
    async showSecret(answer, pick) {
      await shell.showFields(answer, pick);
      shell.terminal.note('The secret is shown this once: keep it now.');
    },
    showFields: (answer, pick) => shell.show(answer, (data, paint) => formatFields(pick(data), paint)),
  };
  return shell;
}
