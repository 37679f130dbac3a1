// npm run check: format and lint rules, types, and rules that need types, side by side.
import { runTool } from './run-tool.ts';

const tools: [name: string, args: string[]][] = [
  ['biome', ['check', '.']],
  ['tsc', []],
  ['oxlint', []],
];

await Promise.all(
  tools.map(async ([name, args]) => {
    const { code, output } = await runTool(name, args);
    if (code !== 0) process.exitCode = 1;
    console.log(code === 0 ? `${name}: ok` : `${name}: failed\n${output}`);
  }),
);
