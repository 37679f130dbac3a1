import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { toLinesText } from '@agp/core/text';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';
/** Text in a style, if the output has colours. */
export type Paint = (style: Style | undefined, text: string) => string;

export interface Terminal {
  paint: Paint;
  /** Columns that a table may take; undefined if results go into a file or a pipe, which get everything. */
  width: number | undefined;
  /** Whether somebody looks at the results. */
  isInteractive: boolean;
  /** Results. Resolves once there is room for more. */
  write(text: string): Promise<void>;
  /** Like `write`, and ends the line. */
  print(text: string): Promise<void>;
  /** Everything that is not a result, on standard error. */
  note(text: string): void;
  /** Asks on the terminal; false for any answer but y or yes. Null if nobody can be asked. */
  confirm(question: string): Promise<boolean | null>;
}

/** Standard output and standard error. Only terminals get colours, unless `NO_COLOR` or `FORCE_COLOR` says otherwise or `colour` is false. */
export function openTerminal(colour: boolean): Terminal {
  const write = async (text: string) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  return {
    isInteractive: process.stdout.isTTY === true,
    write,
    width: (process.stdout.isTTY && process.stdout.columns) || undefined,
    paint: (style, text) => (colour && style !== undefined ? styleText(style, text, { stream: process.stdout }) : text),
    print: (text) => write(`${text}\n`),
    note(text) {
      process.stderr.write(`${toLinesText(text)}\n`);
    },
    async confirm(question) {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await new Promise<boolean>((resolve) => {
          // Ctrl-C and Ctrl-D are a no.
          lines.once('close', () => resolve(false));
          lines.question(`${toLinesText(question)} (y/N) `, (answer) => resolve(/^\s*y(es)?\s*$/i.test(answer)));
        });
      } finally {
        lines.close();
      }
    },
  };
}

/** Runs until a signal. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    await work(ended.signal);
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}
