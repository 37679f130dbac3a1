import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, targetKinds } from '@agp/alerts';
import { piiGroups } from '@agp/pii';
import { managementConfigSchema, proxyConfigSchema, writerConfigSchema } from '@agp/settings';
import type { z } from 'zod';
import { openEnds } from '../../packages/pii/src/open-ends.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { listSecretCells } from './secrets-table.ts';

/** Stands before each table, a blank line between. */
const marker = '<!-- made by npm run generate -->';

const renderRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const renderTable = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [renderRow(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(renderRow)].join('\n');

/** The variable of a setting's key: `proxyPort` is `PROXY_PORT`. */
export const toVariable = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** What the schema takes for a variable that is not set. */
function describeDefault(field: z.ZodType): string {
  const parsed = field.safeParse(undefined);
  if (!parsed.success) return 'required';
  const text = String(parsed.data ?? '');
  return text === '' ? 'unset' : `\`${text}\``;
}

const isTracing = (key: string) => key.startsWith('otel');

/** What is the same as the proxy's shares one row, and so do OpenTelemetry's variables. */
function renderVariables(schema: z.ZodObject, known: z.ZodRawShape = {}): string {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  const tracing = fields.filter(([key]) => isTracing(key)).map(([key]) => `\`${toVariable(key)}\``);
  const rows = fields.flatMap(([key, field]) => {
    if (isTracing(key)) return [];
    const { description } = field;
    if (description === undefined) throw new Error(`${key} has no description`);
    const proxys = known[key] as z.ZodType | undefined;
    const isKnown = proxys?.description === description;
    const isSame = isKnown && describeDefault(proxys) === describeDefault(field);
    return {
      isSame,
      cells: [`\`${toVariable(key)}\``, describeDefault(field), isKnown ? "as the proxy's" : description],
    };
  });
  const own = rows.filter(({ isSame }) => !isSame).map(({ cells }) => cells);
  const shared = rows.filter(({ isSame }) => isSame).map(({ cells: [name] }) => name);
  if (shared.length > 0) own.push([shared.join(', '), 'the same', "as the proxy's"]);
  if (tracing.length > 0) own.push([tracing.join(', '), "OpenTelemetry's", '[traces](#traces)']);
  return renderTable(['Variable', 'Default', 'Meaning'], own);
}

/** A page as its code would have it: each marked table, in their order, is replaced. */
function renderPage(path: string, tables: readonly string[]): { file: string; before: string; after: string } {
  const file = join(workspaceFolder, path);
  const before = readFileSync(file, 'utf8');
  const marked = before.match(new RegExp(`${marker}\n\n(?:\\|.*\n)+`, 'g')) ?? [];
  if (marked.length !== tables.length) throw new Error(`${path} has ${marked.length} marked tables`);
  const after = marked.reduce((text, old, at) => text.replace(old, () => `${marker}\n\n${tables[at]}\n`), before);
  return { file, before, after };
}

/** A member and what it is if nobody says, such as `minutes` (60). */
function describeParameter([name, field]: [string, z.ZodType]): string {
  const fallback = describeDefault(field).replaceAll(',', ', ');
  return `\`${name}\`${fallback === 'unset' ? '' : ` (${fallback})`}: ${field.description?.replace(/^[A-Z]/, (first) => first.toLowerCase())}`;
}

const listNames = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

function renderKinds(): string {
  const rows = Object.entries(kinds).map(([name, { means, severity, matches, params }]) => [
    ...[`\`${name}\``, means, severity, listNames(matches)],
    Object.entries(params as z.ZodRawShape)
      .map(([each, field]) => describeParameter([each, field as z.ZodType]))
      .join('<br>'),
  ]);
  return renderTable(['`on`', 'It tells that', 'Severity', '`match` by', 'What else it may say'], rows);
}

function renderTargets(): string {
  const rows = Object.entries(targetKinds).map(([name, { means, shown, secret }]) => [
    ...[`\`${name}\``, means, listNames(Object.keys(shown)), listNames(Object.keys(secret))],
  ]);
  return renderTable(['`kind`', 'Alerts go to', 'It says', 'Secret, never shown'], rows);
}

/** All national ids in one word. */
const listTypes = (types: readonly string[]) => {
  const names = types.map((type) => type.replace(/^(national_id_).*/, '$1...'));
  return listNames([...new Set(names)]);
};

function renderGroups(): string {
  const groups = Object.entries(piiGroups).filter(([name]) => name !== 'all');
  return renderTable(
    ['Group', 'Types'],
    groups.map(([name, types]) => [`\`${name}\``, listTypes(types)]),
  );
}

const renderWaits = () =>
  renderTable(
    ['Types', 'Characters at most'],
    openEnds.map(({ types, held }) => [listTypes(types), held.toLocaleString('en')]),
  );

const toList = (schemas: z.ZodObject[]) =>
  [...new Set(schemas.flatMap(({ shape }) => Object.keys(shape).map(toVariable)))].sort();

/** The names of all variables, which services know each other's by. */
function renderNames() {
  const file = join(workspaceFolder, 'packages/runtime/src/config/known-variables.ts');
  const names = toList([proxyConfigSchema, writerConfigSchema, managementConfigSchema]);
  const after = `// Made by npm run generate.

/** The variables of all services. */
export const knownVariables: readonly string[] = [
${names.map((name) => `  '${name}',\n`).join('')}];
`;
  return { file, before: readFileSync(file, 'utf8'), after };
}

const listWords = (words: readonly string[]) => words.join(', ').replace(/, (?=[^,]*$)/, ' and ');

/** What a package may import stands in its `package.json`; the linter refuses all else. */
function renderImports(folder: string) {
  const file = join(workspaceFolder, folder, 'README.md');
  const before = readFileSync(file, 'utf8');
  const { dependencies = {} } = JSON.parse(readFileSync(join(workspaceFolder, folder, 'package.json'), 'utf8'));
  const names = Object.keys(dependencies).map((name) => `\`${name}\``);
  const own = names.filter((name) => name.startsWith('`@agp/')).map((name) => name.replace('@agp/', ''));
  const others = names.filter((name) => !name.startsWith('`@agp/'));
  const sentence = `It imports ${own.length === 0 ? 'no package of ours' : listWords(own)}${others.length === 0 ? '' : `, and from npm ${listWords(others)}`}.`;
  const place = new RegExp(`(?<=${marker}\n\n)It imports .*`);
  if (!place.test(before)) throw new Error(`${folder}/README.md says nowhere what it imports`);
  return { file, before, after: before.replace(place, () => sentence) };
}

/** A package that has another name now leaves a folder of dependencies behind in a checkout of before. */
const folders = ['packages', 'services']
  .flatMap((group) => readdirSync(join(workspaceFolder, group)).map((name) => `${group}/${name}`))
  .filter((folder) => existsSync(join(workspaceFolder, folder, 'package.json')));

/** The pages that have tables or sentences made from code, and the list of variables. */
export function renderPages() {
  return [
    renderPage('docs/configuration.md', [
      renderVariables(proxyConfigSchema),
      renderVariables(writerConfigSchema, proxyConfigSchema.shape),
      renderVariables(managementConfigSchema, proxyConfigSchema.shape),
    ]),
    renderPage('docs/operate.md', [
      renderTable(['In `secrets/`', 'Variable', 'Mounted by', 'What it is', 'Changed by', 'Taken'], listSecretCells()),
    ]),
    renderPage('docs/alerts.md', [renderKinds(), renderTargets()]),
    renderPage('docs/pii.md', [renderGroups(), renderWaits()]),
    renderNames(),
    ...folders.map(renderImports),
  ];
}
