// npm run check: format and lint rules, types, and rules that need types, side by side; then the lines of each room, and the age of the docs' pictures.
import { printLines } from './count-lines.ts';
import { findOldPictures } from './picture-age.ts';
import { runTool } from './run-tool.ts';
import { writeApiTypes } from './write-api-types.ts';

const typed = writeApiTypes();

const tools: [name: string, args: string[], after?: Promise<void>][] = [
  ['biome', ['check', '.']],
  ['tsc', [], typed],
  ['tsc', ['--project', 'packages/console'], typed],
  ['oxlint', [], typed],
];

await Promise.all(
  tools.map(async ([name, args, after]) => {
    await after;
    const { code, output } = await runTool(name, args);
    const title = [name, ...args].join(' ');
    if (code !== 0) process.exitCode = 1;
    console.log(code === 0 ? `${title}: ok` : `${title}: failed\n${output}`);
  }),
);

if (!printLines()) process.exitCode = 1;
const old = findOldPictures();
if (old !== null) {
  console.log(old);
  process.exitCode = 1;
}
