import { toLineText } from '@agp/core/text';
import { describeMatch, type Policy, type PolicyException, type StoredPolicy, withoutSign } from '@agp/policy';
import type { Command } from 'commander';
import type { ApiAnswer } from '../api.ts';
import { addCommand, addReason, parseExpiry, parseWhole } from '../arguments.ts';
import { UsageError } from '../cli-error.ts';
import type { Shell } from '../shell.ts';
import { formatTime } from '../table.ts';

interface ExceptOptions {
  agent?: string[];
  label?: string[];
  rule?: string[];
  until?: string;
  reason?: string;
  end?: number;
  all?: true;
}

const collect = (value: string, before: string[] = []) => [...before, value];

/** `1: agent nightly, of models, until 2026-12-01 08:00:00 (made by jane): month's end`. */
const describeException = ({ match, rules, until, reason, by }: PolicyException, index: number): string => {
  const isOver = Date.parse(until) <= Date.now();
  const end = `${isOver ? 'ended' : 'until'} ${formatTime(new Date(until).toISOString())}`;
  return toLineText(
    `${index + 1}: ${describeMatch(match)}, of ${rules?.join(', ') ?? 'all rules'}, ${end}${by ? ` (made by ${by})` : ''}: ${reason}`,
  );
};

export const describeExceptions = ({ exceptions = [] }: Pick<StoredPolicy['policy'], 'exceptions'>): string[] =>
  exceptions.map(describeException);

/** @throws UsageError for options that say neither whom an exception is for nor which one ends */
function change(before: PolicyException[], options: ExceptOptions): PolicyException[] | undefined {
  const { agent: agents, label: labels, rule: rules, until, reason, end, all } = options;
  if (end !== undefined && end > before.length)
    throw new UsageError(`--end must be one of the ${before.length} exceptions`);
  const left = all ? [] : before.filter((_, index) => index + 1 !== end);
  if (all || end !== undefined) return left.length === 0 ? undefined : left;
  if ((!agents && !labels) || until === undefined || reason === undefined)
    throw new UsageError('give --agent or --label, --until and --reason; or --end or --all to end exceptions');
  const pairs = (labels ?? []).map((text) => /^([^=]+)=(.+)$/s.exec(text)?.slice(1) ?? [text, '']);
  const byLabel = Object.fromEntries(
    [...Map.groupBy(pairs, ([name = '']) => name)].map(([name, all]) => [name, all.map(([, value = '']) => value)]),
  );
  const match = { ...(agents && { agents }), ...(labels && { labels: byLabel }) };
  return [...before, { match, ...(rules && { rules }), until, reason }];
}

/** `policies except`: lets some requests pass for a time. @param store the exceptions of a policy by its name, changed */
export function addExceptCommand(
  policies: Command,
  shell: Shell,
  store: (
    name: string,
    change: (before: Policy['exceptions']) => Policy['exceptions'],
    reason: string | undefined,
  ) => Promise<ApiAnswer<StoredPolicy>>,
): void {
  const except = addCommand(
    policies,
    'except <policy>',
    'let some requests pass until a time, or end that',
    'policies except interns --agent nightly --rule models --until 12h --reason month-end',
  );
  addReason(except)
    .option('--agent <name>', 'for this agent; may be given again', collect)
    .option('--label <name=value>', 'for agents with this label; may be given again', collect)
    .option('--rule <rule>', 'from this rule, such as models, or all that begin so, such as limits', collect)
    .option('--until <when>', 'a span such as 12h, or a time', parseExpiry)
    .option('--end <n>', 'end the exception of this number', parseWhole(1))
    .option('--all', 'end all exceptions')
    .action(async (name: string, options: ExceptOptions) => {
      const answer = await store(name, (before) => change(before?.map(withoutSign) ?? [], options), options.reason);
      await shell.show(answer, (stored) => describeExceptions(stored.policy).join('\n') || 'there are no exceptions');
    });
}
