import { isDeepStrictEqual } from 'node:util';
import { agentListSchema } from '@agp/core/contracts';
import { countOf } from '@agp/core/explain';
import { readLabels } from '@agp/core/labels';
import { toLineText } from '@agp/core/text';
import { describeMatch, mayHold } from '@agp/documents';
import { type Policy, type PolicyException, withoutSign } from '@agp/policy';
import { UsageError } from './cli-error.ts';
import type { Shell } from './shell.ts';
import { formatTime } from './table.ts';

export interface ExceptOptions {
  agent?: string[];
  label?: string[];
  rule?: string[];
  until?: string;
  reason?: string;
  end?: number;
  all?: true;
}

const hasEnded = ({ until }: PolicyException): boolean => Date.parse(until) <= Date.now();

/** `agent nightly, of models, until 2026-12-01 08:00:00Z`. */
function describeException(exception: PolicyException): string {
  const { match, rules, until } = exception;
  const end = `${hasEnded(exception) ? 'ended' : 'until'} ${formatTime(new Date(until).toISOString())}`;
  return `${describeMatch(match)}, of ${rules?.join(', ') ?? 'all rules'}, ${end}`;
}

/** `1: agent nightly, of models, until 2026-12-01 08:00:00Z (made by jane): month's end`. */
export const describeExceptions = ({ exceptions = [] }: Policy): string[] =>
  exceptions.map((exception, index) => {
    const made = exception.by === undefined ? '' : ` (made by ${exception.by})`;
    return toLineText(`${index + 1}: ${describeException(exception)}${made}: ${exception.reason}`);
  });

/** `, ends 1 exception (agent nightly, of models, until ...)`, of those that hold and that the file has not, or not for as long; else empty. */
export function describeEnded({ exceptions: before = [] }: Policy, { exceptions: wanted = [] }: Policy): string {
  const goesOn = ({ match, rules, until }: PolicyException) =>
    wanted.some(
      (each) =>
        isDeepStrictEqual([each.match, each.rules], [match, rules]) && Date.parse(each.until) >= Date.parse(until),
    );
  const ending = before.filter((exception) => !hasEnded(exception) && !goesOn(exception));
  if (ending.length === 0) return '';
  return `, ends ${countOf(ending.length, 'exception')} (${toLineText(ending.map(describeException).join('; '))})`;
}

/** Values by their labels, of `team=sales`. */
function pairUp(words: readonly string[]): Record<string, string[]> {
  const pairs = Map.groupBy(words, (word) => word.split('=', 1)[0] ?? '');
  return Object.fromEntries([...pairs].map(([name, of]) => [name, of.map((word) => word.slice(name.length + 1))]));
}

/** Warns of names and labels that no agent has that was seen. */
export async function noteUnseen({ api, terminal }: Shell, { agent: names = [], label: words = [] }: ExceptOptions) {
  if (names.length + words.length === 0) return;
  const { data } = await api.get('/api/v1/agents', agentListSchema);
  const seen = data.map(({ name, metadata }) => [name, Object.fromEntries(readLabels(metadata))] as const);
  const wanted: [words: string, match: Policy['match']][] = [
    ...names.map((name): [string, Policy['match']] => [`is named ${name}`, { agents: [name] }]),
    ...words.map((word): [string, Policy['match']] => [`has the label ${word}`, { labels: pairUp([word]) }]),
  ];
  for (const [words, match] of wanted)
    if (!seen.some((agent) => mayHold(match, ...agent)))
      terminal.note(toLineText(`warning: no agent that was seen ${words}: misspelt?`, 256));
}

/** @throws UsageError for options that say neither whom an exception is for nor which one ends */
export function changeExceptions({ exceptions = [] }: Policy, options: ExceptOptions): Pick<Policy, 'exceptions'> {
  const { agent: agents, label: words = [], rule: rules, until, reason, end, all } = options;
  const before = exceptions.map(withoutSign);
  if (all || end !== undefined) {
    if (end !== undefined && end > before.length)
      throw new UsageError(`--end must be one of the ${before.length} exceptions`);
    const left = all ? [] : before.filter((_, index) => index + 1 !== end);
    return { exceptions: left.length === 0 ? undefined : left };
  }
  if ((!agents && words.length === 0) || until === undefined || reason === undefined)
    throw new UsageError('give --agent or --label, --until and --reason; or --end or --all to end exceptions');
  const match = { ...(agents && { agents }), ...(words.length > 0 && { labels: pairUp(words) }) };
  return { exceptions: [...before, { match, ...(rules && { rules }), until, reason }] };
}
