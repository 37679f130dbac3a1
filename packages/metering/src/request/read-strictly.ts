import { isAscii } from 'node:buffer';
import { type CostFields, type CostRules, foldName, rivals } from '../cost-fields/index.ts';
import { undoEscapes } from '../json/faults.ts';
import { notBounded } from './not-bounded.ts';
import { readAmount } from './read-amount.ts';
import { type Demand, findRule } from './read-demand.ts';
import type { BodyMember, BodyMembers } from './read-members.ts';
import { strictChecks } from './strict-checks.ts';
import type { StrictDemand } from './strict-demand.ts';

const costly = new Set(Object.entries(rivals).flatMap(([name, rule]) => (rule === 'settings' ? [] : [foldName(name)])));

/**
 * Finds the most that a body may cost, once every server is known to read it the same way. Unknown members are refused, and so are
 * values whose effect on the cost is unknown.
 *
 * @param query of the target, which some servers take members from
 * @throws ApiError `cost_not_bounded`, naming the member
 */
export function readStrictly(
  bytes: Buffer,
  { members }: BodyMembers,
  fields: CostFields,
  { answers, maxOutputTokens, leastOutputTokens }: Demand,
  query: string,
): StrictDemand {
  for (const name of new URLSearchParams(query).keys()) {
    if (costly.has(foldName(name))) throw notBounded(name, 'may not stand in the query');
  }
  const demand: StrictDemand = {
    writes: fields.writes,
    inputBytes: countText(bytes),
    unsizedInputs: 0,
    outputTokens: maxOutputTokens,
    leastOutputTokens,
    isBoundNew: isBoundNew(members),
    moreOutputTokens: 0,
    answers,
    runs: 1,
    webSearches: 0,
    describedTools: 0,
    spokenBytes: 0,
    tier: null,
    isFast: false,
    isPictureCommon: true,
  };
  const visit = (some: readonly BodyMember[], rules: CostRules, within: string) => {
    for (const member of some) {
      const rule = findRule(rules, member.key, fields);
      const key = within + member.key;
      if (rule === null) throw notBounded(key, 'is not known to leave the cost as it is');
      if (rule === 'settings') visit(member.members(), fields.settings ?? {}, `${key}.`);
      else strictChecks[rule]?.(demand, { ...member, key });
    }
  };
  visit(members, fields.members, '');
  if (demand.webSearches > 0) boundSearches(demand, members);
  return demand;
}

/** Texts are normalised in pieces of so many UTF-16 units, since a body may become eleven times as long. */
const pieceLength = 65_536;
/** What an escaped character that is cut in two may have been, in bytes. */
const cutCharacter = 64;
/** More bytes than any model reads tokens. */
const enoughText = 16 * 1_048_576;

/** Tools without a bound of their own need one on the uses of all. */
function boundSearches(demand: StrictDemand, members: readonly BodyMember[]): void {
  if (demand.webSearches === Number.POSITIVE_INFINITY) {
    const given = members.find(({ key }) => key === 'max_tool_calls');
    const calls = readAmount(given?.value);
    if (!calls?.isWhole) throw notBounded('tools', 'may search the web without a bound: give one');
    demand.webSearches = calls.value;
  }
  demand.runs = 1 + demand.webSearches;
}

function isBoundNew(members: readonly BodyMember[]): boolean {
  const has = (name: string) => members.some(({ key, value }) => key === name && value !== null);
  return has('max_completion_tokens') && !has('max_tokens');
}

/**
 * Bytes of the text that a tokenizer may see: some normalise it first (NFKC, NFKD), where a single character may become
 * eighteen letters.
 */
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
