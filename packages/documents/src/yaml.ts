import { isStorableText } from '@agp/core/events';
import canonicalize from 'canonicalize';
import { CST, Document, isMap, isNode, isScalar, isSeq, Lexer, parseDocument, stringify } from 'yaml';
import type { z } from 'zod';

/** What is wrong with a text, from one character to another of one line. */
interface TextFault {
  from: number;
  to: number;
  message: string;
}

export type Faults = [TextFault, ...TextFault[]];
type Read<Value> = { value: Value; faults: [] } | { value: null; faults: Faults };

const layout = { lineWidth: 100 };

/** A document as people write it, with all that holds. */
export const writeText = (document: object): string => stringify(document, layout);

/** UTF-16 units, and tokens, and keys and aliases that are read: their time grows with the square. */
const [maxText, maxTokens, maxKeys, maxOpen] = [65_536, 4_000, 1_000, 64];

/** Why a text is not read; null if it may be. */
function findExcess(text: string, noun: string): string | null {
  if (text.length > maxText) return `must be no longer than ${maxText} characters`;
  if (!isStorableText(text)) return 'must not hold NUL';
  let [tokens, keys, open] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    // Each doubles the library's time.
    if (type === 'explicit-key-ind') return 'may hold no key that begins with ?';
    tokens += 1;
    if (type === 'map-value-ind' || type === 'alias') keys += 1;
    if (type === 'flow-seq-start' || type === 'flow-map-start' || type === 'seq-item-ind') open += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') open -= 1;
    else if (type === 'newline') open = 0;
    if (tokens > maxTokens || keys > maxKeys || open > maxOpen)
      return `says more than ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} needs`;
  }
  return null;
}

/**
 * The text with something else at a path of members, and all else and its comments as they are, unless it is in one line.
 * @param value undefined takes it out
 * @throws if an alias stands in the way
 */
export function changeText(given: string, path: readonly [string, ...string[]], value: unknown): string {
  const text = given.replace(/\n\.\.\.\s*$/, '\n');
  const document = parseDocument(text);
  const { contents } = document;
  const isPlain = isMap(contents) && !contents.flow;
  const [[member], before] = [path, document.getIn(path, true)];
  const [from, to] = [findKey(document, [], member)[0], (document.get(member, true) as { range?: Span })?.range?.[1]];
  const isLong = to !== undefined && text[to - 1] === '\n';
  if (value === undefined) document.deleteIn(path);
  else if (isSeq(before) && Array.isArray(value))
    before.items = value.map(
      (each) => before.items.find((item) => isScalar(item) && item.value === each) ?? document.createNode(each),
    );
  else document.setIn(path, document.createNode(value));
  if (!isPlain) return writeText(document.toJS());
  const said = contents.has(member) ? writeMember(member, contents.get(member, true), isLong) : '';
  if (to === undefined) return `${text.trimEnd()}\n${said}`;
  return text.slice(0, from) + (isLong ? said : said.trimEnd()) + text.slice(to);
}

/** The text of a document so that it says another: its comments stay, but for those inside members that differ. */
export function rewriteText<Value extends object>(text: string, schema: z.ZodType<Value>, to: Value): string {
  const [before, after] = [readText(text, schema, 'document').value, to] as Record<string, unknown>[];
  return (
    Object.keys({ ...before, ...after })
      // Storage keeps members in an order of its own, which says nothing.
      .filter((member) => canonicalize(before?.[member]) !== canonicalize(after?.[member]))
      .reduce((said, member) => changeText(said, [member], after?.[member]), text)
  );
}

/** A member as it is written, with the comments inside it. @param isLong the last of them too */
function writeMember(name: string, value: unknown, isLong: boolean): string {
  if (isNode(value) && !isLong) value.comment = null;
  const document = new Document({});
  document.set(name, value);
  return document.toString(layout);
}

/** What a document in YAML or JSON says, or what is wrong with it, each at its place. @param noun what it is, such as `policy` */
export function readText<Value>(text: string, schema: z.ZodType<Value>, noun: string): Read<Value> {
  const excess = findExcess(text, noun);
  if (excess !== null) return { value: null, faults: [cutToLine(text, [0, text.length], excess)] };
  const document = parseDocument(text, { prettyErrors: false });
  const [broken, ...others] = document.errors.map(({ pos, message }) => cutToLine(text, pos, message));
  if (broken !== undefined) return { value: null, faults: [broken, ...others] };
  const { value: given, problem } = toValue(document);
  if (problem !== null) return { value: null, faults: [cutToLine(text, [0, text.length], problem)] };
  const { data: value, error } = schema.safeParse(given);
  if (error === undefined) return { value, faults: [] };
  const faults = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => cutToLine(text, findKey(document, issue.path, key), `${key}: no such member here`))
      : [cutToLine(text, findValue(document, issue.path), `${issue.path.join('.') || noun}: ${describe(issue)}`)],
  );
  return { value: null, faults: faults as Faults };
}

type Parsed = ReturnType<typeof parseDocument>;

/** An alias may be unknown, or stand for more than a text this long may say. */
function toValue(document: Parsed): { value: unknown; problem: null } | { value: null; problem: string } {
  try {
    return { value: document.toJS(), problem: null };
  } catch (error) {
    return { value: null, problem: (error as Error).message };
  }
}

type Span = readonly [from: number, to: number, ...number[]];

function cutToLine(text: string, [from, to]: Span, message: string): TextFault {
  const start = Math.min(from, text.length);
  const end = text.indexOf('\n', start);
  return { from: start, to: Math.max(start, Math.min(to, end < 0 ? text.length : end)), message };
}

/** Where a value stands, or the nearest one around it. */
function findValue(document: Parsed, path: readonly PropertyKey[]): Span {
  for (let length = path.length; length > 0; length -= 1) {
    const around = document.getIn(path.slice(0, length), true) as { range?: Span } | undefined;
    if (around?.range)
      return isMap(around) ? findKey(document, path.slice(0, length - 1), path[length - 1]) : around.range;
  }
  return document.contents?.range ?? [0, 0];
}

/** Where a member of a text that can be read begins, in UTF-16 units. */
export const findMember = (text: string, path: readonly PropertyKey[]): number =>
  findValue(parseDocument(text, { prettyErrors: false }), path)[0];

function findKey(document: Parsed, path: readonly PropertyKey[], key: PropertyKey | undefined): Span {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((each) => isScalar(each.key) && each.key.value === key) : undefined;
  return (pair?.key as { range?: Span } | undefined)?.range ?? (map as { range?: Span } | null)?.range ?? [0, 0];
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing, or of another type';
  return issue.message;
}
