import { type Pause, pauseSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import type { Paint } from '../open-terminal.ts';
import { writeQuery } from '../write-query.ts';

function describe({ paused }: Pause, paint: Paint): string {
  return paused ? paint('red', 'paused: every agent is refused') : paint('green', 'not paused: agents work');
}

/** `pause`: stops or resumes all agents. */
export function addPauseCommands(program: Command, shell: Shell): void {
  const pause = program.command('pause').description('stop and resume all agents at once');
  const set = (usage: string, paused: boolean, summary: string) =>
    addReason(addCommand(pause, usage, summary, `pause ${usage} --reason incident-42`)).action(
      async ({ reason }: ReasonOption) => {
        const path = writeQuery('/api/v1/pause', { reason });
        await shell.show(await shell.api.send('PUT', path, { paused }, pauseSchema), describe);
      },
    );
  set('on', true, 'refuse all agents from their next request on, and end what they have running');
  set('off', false, 'let all agents work again that are not blocked');
  addCommand(pause, 'status', 'show whether agents are paused', 'pause status').action(async () => {
    await shell.show(await shell.api.get('/api/v1/pause', pauseSchema), describe);
  });
}
