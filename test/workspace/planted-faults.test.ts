import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { plantFolder } from './planted-folder.ts';
import { runTool, workspaceFolder } from './run-tool.ts';

const sleep = 'const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 1));\n';

/** One fault a file, and the rule that must name it there. */
const biomeFaults = [
  [
    'style/noRestrictedImports',
    'packages/core/src/chance.ts',
    "import { randomUUID } from 'node:crypto';\nexport const id = randomUUID();\n",
  ],
  ['style/noRestrictedGlobals', 'packages/core/src/clock.ts', 'export const start = () => process.hrtime();\n'],
  ['style/noProcessEnv', 'services/proxy/src/port.ts', 'export const port = process.env.PORT;\n'],
  ['style/noDefaultExport', 'services/proxy/src/whole.ts', 'export default function whole() {}\n'],
  [
    'style/noExcessiveLinesPerFile',
    'services/writer/src/long.ts',
    Array.from({ length: 301 }, (_, line) => `export const line${line} = 1;`).join('\n'),
  ],
  ['style/useFilenamingConvention', 'services/writer/src/badName.ts', 'export const one = 1;\n'],
  ['style/useNodejsImportProtocol', 'services/writer/src/read.ts', "export { readFileSync } from 'fs';\n"],
  ['suspicious/noConsole', 'packages/core/src/shout.ts', "console.log('here');\n"],
  ['suspicious/noConsole', 'services/management/src/shout.ts', "console.error('here');\n"],
  [
    'suspicious/noImportCycles',
    'services/writer/src/hen.ts',
    "import { egg } from './egg.ts';\nexport const hen = () => egg;\n",
  ],
  [
    'suspicious/noImportCycles',
    'services/writer/src/egg.ts',
    "import { hen } from './hen.ts';\nexport const egg = () => hen;\n",
  ],
  ['suspicious/noExplicitAny', 'services/writer/src/any.ts', 'export const anything = (value: any) => value;\n'],
  ['correctness/noUndeclaredDependencies', 'packages/db/src/undeclared.ts', "export { z } from 'zod';\n"],
  ['plugin', 'services/proxy/src/parse.ts', "export const one = JSON.parse('1');\n"],
  ['plugin', 'packages/bus/src/renamed.ts', 'const { parse } = JSON;\nexport const read = parse;\n'],
  ['plugin', 'packages/cli/src/global.ts', "export const one = globalThis.JSON.parse('1');\n"],
  [
    'plugin',
    'packages/local-stack/src/answer.ts',
    'export const read = async (address: string) => (await fetch(address)).json();\n',
  ],
  [
    'plugin',
    'services/management/src/body.ts',
    "import express from 'express';\nexport const read = express.json({ limit: 1 });\n",
  ],
] as const;

const oxlintFaults = [
  [
    'typescript(no-floating-promises)',
    'services/proxy/src/floating.ts',
    `${sleep}export function run() {\n  sleep();\n}\n`,
  ],
  ['typescript(no-floating-promises)', 'test/floating.test.ts', `${sleep}export function run() {\n  sleep();\n}\n`],
  [
    'typescript(no-misused-promises)',
    'packages/db/src/misused.ts',
    `${sleep}export const all = (list: number[]) => list.forEach(async () => sleep());\n`,
  ],
  ['typescript(await-thenable)', 'packages/bus/src/needless.ts', 'export const one = async () => await 1;\n'],
  [
    'eslint(no-restricted-imports)',
    'services/proxy/src/steps/admit.ts',
    "import { identify } from './identify.ts';\nexport const admit = identify;\n",
  ],
  [
    'eslint(no-restricted-imports)',
    'services/writer/src/record.ts',
    "import { decode } from './decode.ts';\nexport const record = decode;\n",
  ],
  [
    'eslint(no-restricted-imports)',
    'services/writer/src/lanes.ts',
    "import { decode } from './decode.ts';\nexport const lane = decode;\n",
  ],
] as const;

/** What a pipeline needs and the rule must leave alone: the type of an earlier step's result. */
const typeOnly = {
  path: 'services/proxy/src/steps/forward.ts',
  text: "import type { Head } from './read-head.ts';\nexport const forward = (head: Head) => head;\n",
};

/** What the rule about parsing JSON must leave alone. */
const writesJson = [
  {
    path: 'services/management/src/write.ts',
    text: 'export const write = (response: { json(value: string): void }) => response.json(JSON.stringify(1));\n',
  },
  { path: 'packages/core/src/json.ts', text: "export const one: unknown = JSON.parse('1');\n" },
  { path: 'packages/bus/src/parcel.test.ts', text: "export const one: unknown = JSON.parse('1');\n" },
];

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
const listSpelled = (pattern: string): string[] => {
  const [, before = '', names = pattern, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names.split(',').map((name) => before + name + after);
};

const found = new Set<string>();

beforeAll(async () => {
  const files = [...biomeFaults, ...oxlintFaults].map(([, path, text]) => ({ path, text }));
  const steps = [
    'services/proxy/src/steps/read-head.ts',
    'services/proxy/src/steps/identify.ts',
    'services/writer/src/decode.ts',
  ];
  const texts = steps.map((path) => ({
    path,
    text: 'export type Head = string;\nexport const identify = 1;\nexport const decode = 1;\n',
  }));
  using folder = plantFolder([...files, ...texts, ...writesJson, typeOnly]);
  const biome = await runTool('biome', ['lint', '--reporter=json', '--max-diagnostics=none', '.'], folder.path);
  const report: { diagnostics: { category: string; location: { path: string } }[] } = JSON.parse(biome.stdout);
  for (const { category, location } of report.diagnostics)
    found.add(`${category.replace('lint/', '')} ${location.path}`);
  const oxlint = await runTool('oxlint', ['--format=json'], folder.path);
  const findings: { diagnostics: { code: string; filename: string }[] } = JSON.parse(oxlint.stdout);
  for (const { code, filename } of findings.diagnostics) found.add(`${code} ${filename}`);
});

test.each([...biomeFaults, ...oxlintFaults])('%s is reported for %s', (rule, path) => {
  expect(found).toContain(`${rule} ${path}`);
});

test('the rule about steps names files that there are', () => {
  const { overrides } = JSON.parse(readFileSync(join(workspaceFolder, '.oxlintrc.json'), 'utf8'));
  const patterns = overrides.flatMap(({ files }: { files: string[] }) => files.flatMap(listSpelled));
  expect(patterns.filter((pattern: string) => globSync(pattern, { cwd: workspaceFolder }).length === 0)).toEqual([]);
});

test('JSON may be written anywhere, and parsed where it is parsed for all', () => {
  expect([...found].filter((each) => writesJson.some(({ path }) => each.endsWith(path)))).toEqual([]);
});

test('a step may name the type of an earlier step’s result', () => {
  expect([...found].filter((each) => each.endsWith(typeOnly.path))).toEqual([]);
});
