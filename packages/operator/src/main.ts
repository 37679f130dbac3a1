// What the image `operator` runs: a command of this package by its name, as `npm run` does in a clone.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { exitCodes, nameByImage } from './run-command.ts';

const names = globSync('commands/*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !name.endsWith('.test'))
  .sort();

nameByImage();
const [name = '--help'] = process.argv.splice(2, 1);
if (names.includes(name)) await import(`./commands/${name}.ts`);
else {
  const isAsked = name === '--help' || name === '-h';
  const help = `usage: operator <command> [options]\n\nCommands, each with --help: ${names.join(', ')}.\n${exitCodes}`;
  if (isAsked) console.log(help);
  else console.error(`no command is called ${name}\n\n${help}`);
  process.exitCode = isAsked ? 0 : 2;
}
