import { expect, test } from 'vitest';
import { listFiles } from './list-files.ts';
import { runTool, workspaceFolder } from './run-tool.ts';

const sources = listFiles().filter((path) => path.endsWith('.ts'));

/** The count in a tool's own summary: a tool that looked at nothing must not pass. */
function readCount(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? 0);
}

test('every file is formatted and linted', { timeout: 60_000 }, async () => {
  const { code, output } = await runTool('biome', ['ci', '--error-on-warnings', '--max-diagnostics=50']);
  expect(code, output).toBe(0);
  expect(readCount(output, /Checked (\d+) files/)).toBeGreaterThanOrEqual(sources.length);
});

test('no promise is left floating, and no pipeline step imports a step', { timeout: 60_000 }, async () => {
  const { code, output } = await runTool('oxlint', ['--deny-warnings']);
  expect(code, output).toBe(0);
  expect(readCount(output, /on (\d+) files/)).toBeGreaterThanOrEqual(sources.length);
});

test('every type checks', { timeout: 120_000 }, async () => {
  const { code, output } = await runTool('tsc', ['--listFiles', '--pretty', 'false']);
  const lines = output.split('\n');
  expect(code, lines.filter((line) => line.includes('error TS')).join('\n')).toBe(0);
  const checked = new Set(lines);
  const left = sources.filter((path) => !checked.has(`${workspaceFolder}/${path}`));
  expect(left).toEqual([]);
});
