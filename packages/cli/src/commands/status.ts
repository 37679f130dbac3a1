import { setTimeout as wait } from 'node:timers/promises';
import { type Status, statusSchema } from '@agp/core/contracts';
import { escapeJson } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand } from '../add-command.ts';
import { ApiFailure } from '../cli-error.ts';
import type { Shell } from '../create-shell.ts';
import { formatStatus } from '../format/format-status.ts';
import { parseWhole } from '../parse-arguments.ts';
import { untilInterrupted } from '../until-interrupted.ts';

/** Moves to the top left, and removes what is below. */
const clearScreen = '\u001b[H\u001b[J';

/** `status`: everything at a glance. */
export function addStatusCommand(program: Command, shell: Shell): void {
  addCommand(
    program,
    'status',
    'show everything at a glance: what runs, what was spent, refused and found',
    'status --watch',
  )
    .option('--watch', 'show it again and again, until Ctrl-C; while nothing answers it says so and goes on')
    .option('--every <seconds>', 'how often, with --watch', parseWhole(1), 2)
    .action(async ({ watch, every }: { watch?: boolean; every: number }) => {
      const read = () => shell.api.get('/api/v1/status', statusSchema);
      const write = (status: Status) => formatStatus(status, shell.terminal.paint, shell.terminal.width);
      if (!watch) return shell.show(await read(), write);
      await untilInterrupted(async (signal) => {
        while (!signal.aborted) {
          try {
            const { data, text } = await read();
            const clear = shell.terminal.width !== undefined && !shell.json ? clearScreen : '';
            if (!signal.aborted)
              await shell.terminal.print(clear + (shell.json ? escapeJson(text) : `${write(data)}\n`));
          } catch (error) {
            // A wrong key stays wrong; a server that is away may come back.
            const isFinal =
              !(error instanceof ApiFailure) || (error.status !== null && error.status < 500 && error.status !== 429);
            if (isFinal) throw error;
            shell.terminal.note(`${new Date().toISOString()} ${error.message} (trying again)`);
          }
          await wait(every * 1_000, undefined, { signal }).catch(() => {});
        }
      });
    });
}
