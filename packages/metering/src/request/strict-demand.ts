import { isAscii } from 'node:buffer';
import { ApiError } from '@agp/core/errors';
import {
  findRule,
  findSettings,
  foldName,
  type MemberRules,
  type RequestBounds,
  rivalRules,
} from '../dialects/bounds.ts';
import { searching } from '../dialects/named-tools.ts';
import { undoEscapes } from '../json/faults.ts';
import { asArray, asName, asObject, asText } from '../json/members.ts';
import type { BodyMember, ReadBody } from '../json/scan.ts';
import { findUnsized } from './find-unsized.ts';
import { type Demand, listBudgets, readAmount } from './read-demand.ts';

export interface BodyForm {
  contentType: string;
  contentEncoding: string;
  /** The body without its content encoding, if it has one that could be undone. */
  decoded?: Buffer | null;
}

export interface StrictDemand {
  writes: RequestBounds['writes'];
  inputBytes: number;
  unsizedInputs: number;
  /** Tokens of one answer; null without a bound. */
  outputTokens: number | null;
  leastOutputTokens: number;
  thinkingTokens: number;
  answers: number;
  /** Tools that the provider describes to the model in words of its own. */
  describedTools: number;
  tiers: readonly string[];
}

/** Keys come from outside: this much of one is shown, without control characters. */
const shown = (field: string) => field.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);

export function notBounded(field: string, reason: string): ApiError {
  return new ApiError('cost_not_bounded', `the cost cannot be bounded: ${shown(field)} ${reason}`);
}

const json = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;

/** Checks that every server reads a body the same way: plain JSON in UTF-8, without a key given twice. */
function checkPlain({ contentType, contentEncoding }: BodyForm, { doubt }: ReadBody): void {
  if (!/^(?:identity)?$/i.test(contentEncoding.trim())) throw notBounded('content-encoding', 'must be left out');
  if (!json.test(contentType)) throw notBounded('content-type', 'must be application/json in UTF-8');
  if (doubt !== null) throw notBounded(doubt.field, doubt.reason);
}

/** Texts are normalised in pieces of so many UTF-16 units, since a body may become eleven times as long. */
const pieceLength = 65_536;
/** What an escaped character that is cut in two may have been, in bytes. */
const cutCharacter = 64;
const enoughText = 16 * 1_048_576;

/** Bytes of the text that a tokenizer may see: some normalise it first, and one character may become eighteen letters. */
function countText(bytes: Buffer): number {
  if (isAscii(bytes) && !bytes.includes('\\u')) return bytes.length;
  const text = bytes.toString('utf8');
  let counted = 0;
  for (let start = 0; start < text.length && counted < enoughText; start += pieceLength) {
    const piece = text.slice(start, start + pieceLength);
    counted += Buffer.byteLength(undoEscapes(piece).normalize('NFKD'));
    if (start + pieceLength < text.length) counted += cutCharacter;
  }
  return Math.max(bytes.length, counted);
}

function checkModel(key: string, model: unknown): void {
  if (asText(model) === null) throw notBounded(key, 'must be text');
  if (searching.test(asName(model))) throw notBounded(key, 'is one that searches on its own');
}

function checkAmount(key: string, value: unknown): void {
  if (readAmount(value)?.isWhole === false) throw notBounded(key, 'must be a whole number from 0 on');
}

function checkText(key: string, value: unknown): void {
  if (value !== null && typeof value !== 'string') throw notBounded(key, 'must be text');
}

type Add = (demand: StrictDemand, member: BodyMember, bounds: RequestBounds) => void;

const additions: Readonly<Record<string, Add>> = {
  bound: (_demand, { key, value }) => checkAmount(key, value),
  answers: (_demand, { key, value }) => checkAmount(key, value),
  thinking(demand, member) {
    for (const { key, value } of listBudgets(member)) {
      // Gemini takes -1 for what it thinks best; modes are words.
      const isMode = typeof value === 'string' ? /^[a-z]+$/.test(value) : typeof value === 'boolean' || value === -1;
      if (!isMode) checkAmount(key, value);
      demand.thinkingTokens += isMode ? 0 : (readAmount(value)?.value ?? 0);
    }
  },
  content(demand, { value }) {
    if (findUnsized(value)) demand.unsizedInputs = Math.max(1, demand.unsizedInputs);
  },
  items(demand, { value }) {
    demand.unsizedInputs += [value].flat().filter(findUnsized).length;
  },
  reference(demand, { value }) {
    if (value !== null) demand.unsizedInputs = Math.max(1, demand.unsizedInputs);
  },
  prompts(_demand, { key, value }) {
    const kinds = new Set([value].flat(2).map((part) => typeof part));
    const isText = kinds.has('string') || kinds.has('number') || kinds.size === 0;
    if (kinds.size > 1 || !isText) throw notBounded(key, 'must be text, or ids of tokens');
  },
  model: (_demand, { key, value }) => checkModel(key, value),
  models(_demand, { key, value }) {
    if (value !== null && !Array.isArray(value)) throw notBounded(key, 'must be a list of models');
    for (const model of asArray(value)) checkModel(key, model);
  },
  tier: (_demand, { key, value }) => checkText(key, value),
  geo: (_demand, { key, value }) => checkText(key, value),
  tools(demand, { key, value }, { readTool }) {
    if (value !== null && !Array.isArray(value)) throw notBounded(key, 'is no list');
    for (const [index, tool] of asArray(value).entries()) {
      const by = readTool?.(asObject(tool)) ?? null;
      if (by === null) throw notBounded(`${key}.${index}`, 'is a tool that the provider runs, at an unknown cost');
      if (by === 'described') demand.describedTools += 1;
    }
  },
};

const costly = new Set([...rivalRules].flatMap(([name, rule]) => (rule === 'settings' ? [] : [name])));

/** The most that a body may cost, once every server is known to read it the same way. @throws ApiError `cost_not_bounded` */
export function readStrictly(
  bytes: Buffer,
  form: BodyForm,
  body: ReadBody,
  bounds: RequestBounds,
  { answers, maxOutputTokens, leastOutputTokens, tiers }: Demand,
  query: string,
): StrictDemand {
  checkPlain(form, body);
  for (const name of new URLSearchParams(query).keys()) {
    if (costly.has(foldName(name))) throw notBounded(name, 'may not stand in the query');
  }
  const demand: StrictDemand = {
    writes: bounds.writes,
    inputBytes: countText(bytes),
    unsizedInputs: 0,
    outputTokens: maxOutputTokens,
    leastOutputTokens,
    thinkingTokens: 0,
    answers,
    describedTools: 0,
    tiers,
  };
  const visit = (some: readonly BodyMember[], rules: MemberRules, within: string) => {
    for (const member of some) {
      const rule = findRule(rules, member.key, bounds.isEitherCase);
      const key = within + member.key;
      if (rule === null) throw notBounded(key, 'is not known to leave the cost as it is');
      if (rule === 'settings') visit(member.members(), findSettings(bounds, member.key), `${key}.`);
      else if (typeof rule === 'string') additions[rule]?.(demand, { ...member, key }, bounds);
      else if (!rule(member.value)) throw notBounded(key, 'may cost more by this value');
    }
  };
  visit(body.members, bounds.members, '');
  return demand;
}
