import { stringify } from 'yaml';
import { readVersion } from '../components.ts';
import type { Entry, Node } from './merge-variants.ts';
import { instanceMark, marks, namespaceMark, prefixMark } from './variants.ts';

const first = ['apiVersion', 'kind', 'metadata', 'name', 'namespace', 'spec'];
const rank = ({ key }: Entry) => (first.includes(key) ? first.indexOf(key) : first.length);

/** Numbers among the values: a manifest has them without quotes, unless it is a text there. */
const isNumber = (value: string) => /(?:port|days)$/i.test(value);

/** The pipeline of a mark that is a whole text, and what it is within one. */
function toPipeline(text: string): string | null {
  const [, image] = /^\w+\/agent-governance-proxy\/([\w-]+):[\w.]+$/.exec(text) ?? [];
  if (image) return `include "agp.image" (list . "${image}") | quote`;
  const [, map] = /^zzmap:(.+)zz$/.exec(text) ?? [];
  if (map) return `include "agp.configMapName" (list . "${map}")`;
  if (text.startsWith(`${instanceMark}-`))
    return `include "agp.secretName" (list . "${text.slice(instanceMark.length + 1)}")`;
  if (text === version) return '.Chart.AppVersion | quote';
  if (text === namespaceMark) return '.Release.Namespace';
  const value = marks.get(text);
  if (value === undefined) return null;
  return isNumber(value) ? `.Values.${value} | int64` : `.Values.${value} | quote`;
}

const version = readVersion();
const dashedVersion = 'zzdashedzz';
/** What stands for a part of a text. */
const within = new Map([
  ['{{', '"{{"'],
  [prefixMark, '$prefix'],
  [dashedVersion, 'printf "-%s" .Chart.AppVersion | replace "." "-"'],
]);

/** A scalar as it stands in a template; in the data of a ConfigMap a number is a text. */
export function writeScalar(value: unknown, isText = false): string {
  const pipeline = toPipeline(String(value));
  if (pipeline !== null) return `{{ ${pipeline}${isText && pipeline.endsWith('int64') ? ' | quote' : ''} }}`;
  if (typeof value !== 'string') return stringify(value).trimEnd();
  // What Prometheus or Grafana has in such brackets is its own.
  const parts = value.replace(/(?<=migrate)-\d+-\d+-\d+$/, dashedVersion).split(/(\{\{|zz[a-z]+?zz)/);
  const isOurs = parts.length > 1;
  const written = parts.map((part, place) => {
    if (place % 2 === 0) return isOurs && !value.startsWith(prefixMark) ? JSON.stringify(part).slice(1, -1) : part;
    const inner = within.get(part) ?? (marks.has(part) ? `.Values.${marks.get(part)}` : null);
    if (inner === null) throw new Error(`${value}: no value is behind ${part}`);
    return `{{ ${inner} }}`;
  });
  const text = written.join('');
  if (isOurs) return value.startsWith(prefixMark) ? text : `"${text}"`;
  // As YAML 1.1, which helm reads: an unquoted `off` is a boolean there.
  return isText || value.includes('\n')
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0, version: '1.1' }).trimEnd();
}

const toCondition = (when: string[]) =>
  when.length === 1 ? when[0] : `and ${when.map((each) => (each.includes(' ') ? `(${each})` : each)).join(' ')}`;

/** Lines within the brackets of their conditions; `when` is empty for what is always there. */
export const wrap = (when: string[], lines: string[]): string[] =>
  when.length === 0 ? lines : [`{{- if ${toCondition(when)} }}`, ...lines, '{{- end }}'];

/** Writes entries one after the other; those of the same conditions have their brackets together. */
function writeEntries(entries: Entry[], write: (entry: Entry) => string[]): string[] {
  const groups: Entry[][] = [];
  for (const each of entries) {
    const last = groups.at(-1);
    if (last?.[0]?.when.join() === each.when.join()) last.push(each);
    else groups.push([each]);
  }
  return groups.flatMap((group) => wrap(group[0]?.when ?? [], group.flatMap(write)));
}

/** Writes a map or list in block style. */
export function writeNode(node: Node, indent: number, isText = false): string[] {
  const pad = ' '.repeat(indent);
  // A condition's or include's brackets stand at the line's start, since they take the white space before them away.
  if (node.type === 'raw')
    return node.lines.map((line) => {
      const text = line.replace(/INDENT_(\d)/, (_, more) => String(indent + Number(more)));
      return /^\s*\{\{-/.test(text) ? text.trimStart() : `${pad}${text}`;
    });
  if (node.type === 'choice')
    return [
      `{{- if ${node.when} }}`,
      ...writeNode(node.yes, indent),
      '{{- else }}',
      ...writeNode(node.no, indent),
      '{{- end }}',
    ];
  if (node.type === 'scalar') return [`${pad}${writeScalar(node.value, isText)}`];
  if (node.type === 'map')
    return writeEntries(
      node.entries.toSorted((a, b) => rank(a) - rank(b)),
      (each) => writeMember(each, indent, isText),
    );
  return writeEntries(node.entries, (each) => {
    if (each.node.type === 'raw') return writeNode(each.node, indent);
    const lines = writeNode(each.node, indent + 2);
    const [head = ''] = lines;
    // An item that begins with a condition cannot have its dash in that line.
    return head.startsWith('{{-') ? [`${pad}-`, ...lines] : [`${pad}- ${head.trimStart()}`, ...lines.slice(1)];
  });
}

function writeMember({ key, node }: Entry, indent: number, isText: boolean): string[] {
  const name = `${' '.repeat(indent)}${stringify(key).trimEnd()}:`;
  if (node.type === 'raw') return writeNode(node, indent);
  if (node.type === 'choice')
    return [
      `{{- if ${node.when} }}`,
      ...writeMember({ key, node: node.yes, when: [] }, indent, isText),
      '{{- else }}',
      ...writeMember({ key, node: node.no, when: [] }, indent, isText),
      '{{- end }}',
    ];
  if (node.type === 'scalar') return [`${name} ${writeScalar(node.value, isText)}`];
  if (node.entries.length === 0) return [`${name} ${node.type === 'map' ? '{}' : '[]'}`];
  return [name, ...writeNode(node, indent + 2, isText)];
}
