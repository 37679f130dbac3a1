import { isDeepStrictEqual } from 'node:util';
import {
  type Rule,
  rulePreviewSchema,
  ruleSchema,
  type StoredRule,
  type StoredTarget,
  secretNames,
  storedRuleListSchema,
  storedRuleSchema,
  storedTargetListSchema,
  storedTargetSchema,
  type TargetChange,
  targetChangeSchema,
  testedSchema,
  withSilence,
} from '@agp/alerts';
import { countOf, formatCount } from '@agp/core/explain';
import { toLineText } from '@agp/core/text';
import { describeMatch } from '@agp/documents';
import { changeText, rewriteText, writeText } from '@agp/documents/yaml';
import type { Command } from 'commander';
import { z } from 'zod';
import { addApplyCommands, addGet, findStored, type Kind, listChanges, saysTheSame } from '../apply-files.ts';
import { addCommand, addReason, parseExpiry, type ReasonOption } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { addList } from '../list.ts';
import type { Written } from '../read-files.ts';
import type { Shell } from '../shell.ts';
import { type Column, formatTime, timeColumn } from '../table.ts';

const [rulesPath, targetsPath] = ['/api/v1/notification-rules', '/api/v1/notification-targets'];

/** Titles of a preview that are shown. */
const some = 5;

/** What a file that says nothing of silences leaves as they are. */
const keepSilences = ({ value, text }: Written<Rule>, stored: Rule | undefined): string =>
  value.silences === undefined && stored?.silences !== undefined
    ? changeText(text, ['silences'], stored.silences)
    : text;

const ruleKind: Kind<Rule, StoredRule> = {
  ...{ noun: 'rule', plural: 'rules', commands: 'alerts rules', path: rulesPath, listPath: rulesPath },
  ...{ list: storedRuleListSchema, one: storedRuleSchema, schema: ruleSchema },
  declaredBy: ({ rule }) => rule,
  toYaml: ({ text, rule }) => text ?? writeText(rule),
  isSame: ({ text, rule }, { value, text: said }) => {
    const written = { value, text: keepSilences({ value, text: said }, rule) };
    return saysTheSame(text, written, isDeepStrictEqual(rule, { silences: rule.silences, ...value }));
  },
  toBody: (written, stored) => keepSilences(written, stored?.rule),
  describeChange: ({ rule }, wanted) => listChanges(rule, { silences: rule.silences, ...wanted }),
  preview: async ({ api }, wanted) => {
    const { data } = await api.send('POST', `${rulesPath}/preview`, wanted, rulePreviewSchema);
    const titles = data.alerts.slice(0, some).map(({ title }) => `  ${toLineText(title)}`);
    return [
      `${countOf(data.count, 'alert')} would be open now, ${countOf(data.messages, 'message')} would be sent${data.count > titles.length && titles.length > 0 ? `, such as` : ''}`,
      ...titles,
      `a message reads: ${toLineText([data.example.title, data.example.detail].filter(Boolean).join(' - '))}`,
    ];
  },
};

/** `alerts rules`: what is told to whom. */
export function addRuleCommands(alerts: Command, shell: Shell): void {
  const rules = alerts.command('rules').description('rules of what is told to whom');
  addList(rules, shell, 'list', 'list all rules', {
    ...{ example: 'alerts rules list', isDefault: true, path: rulesPath, schema: storedRuleListSchema },
    columns: [
      { head: 'RULE', cell: ({ rule }) => rule.name, least: 12 },
      { head: 'ON', cell: ({ rule }) => rule.on },
      { head: 'SEVERITY', cell: ({ rule }) => rule.severity, spare: 1 },
      { head: 'FOR', cell: ({ rule }) => describeMatch(rule.match).replace('every request', 'all'), least: 12 },
      { head: 'TELLS', cell: ({ rule }) => rule.targets.join(', ') || 'by severity', least: 8 },
      { head: 'OPEN', right: true, cell: ({ open_count }) => formatCount(open_count) },
      {
        head: '',
        cell: ({ rule: { enabled, silences = [] } }) => {
          const silence = silences.find(({ until }) => Date.parse(until) > Date.now());
          if (!enabled || !silence) return enabled ? '' : 'off';
          return `silent${silence.agents ? ` of ${toLineText(silence.agents.join(', '), 64)}` : ''} until ${formatTime(silence.until)}`;
        },
        style: () => 'yellow',
      },
      { ...timeColumn('CHANGED', 'updated_at'), spare: 2 },
    ],
  });
  addGet(rules, shell, ruleKind);
  addApplyCommands(rules, shell, ruleKind);
  addSilence(rules, shell);
}

interface SilenceOptions extends ReasonOption {
  agent?: string[];
  until?: string;
  end?: true;
}

function addSilence(rules: Command, shell: Shell): void {
  const summary = 'let a rule tell nobody for a time, of all or of some agents; --end ends its silences';
  const example = 'alerts rules silence agents-failing --agent nightly --until 8h --reason migration';
  addReason(addCommand(rules, 'silence <name>', summary, example))
    .option('--agent <name...>', 'only of these agents')
    .option('--until <when>', 'a span such as 8h, or a time', parseExpiry)
    .option('--end', 'tell again')
    .action(async (name: string, { agent: agents, until, end, reason }: SilenceOptions) => {
      const { id, rule, text, version } = await findStored(shell, ruleKind, name);
      if (!end && (until === undefined || reason === undefined))
        throw new UsageError('give --until and --reason; or --end to end silences');
      const silence = { ...(agents && { agents }), until: `${until}`, reason: `${reason}` };
      const next = withSilence(rule, end ? null : silence);
      const body = text === null ? next : rewriteText(text, ruleSchema, next);
      const answer = await shell.api.send('PUT', `${rulesPath}/${id}`, body, storedRuleSchema, { reason }, version);
      await shell.show(answer, () => describeSilences(answer.data.rule).join('\n'));
    });
}

/** `agents-failing tells nobody of nightly until 2026-12-01 08:00:00: migration`. */
const describeSilences = ({ name, silences = [] }: Rule): string[] =>
  silences.length === 0
    ? [`${toLineText(name)} tells all`]
    : silences.map(({ agents, until, reason }) =>
        toLineText(
          `${name} tells nobody of ${agents?.join(', ') ?? 'anything'} until ${formatTime(until)}: ${reason}`,
          512,
        ),
      );

/** What a file says, without what is secret. */
const withoutSecrets = (target: TargetChange): object =>
  Object.fromEntries(Object.entries(target).filter(([name]) => !secretNames(target.kind).includes(name)));

/** The host of a URL that is itself a secret is no member of a file. */
function toWritten({ target: { host: _host, ...written } }: StoredTarget): TargetChange {
  return written as TargetChange;
}

const hasSecrets = (target: TargetChange) => Object.keys(withoutSecrets(target)).length < Object.keys(target).length;

const targetKind: Kind<TargetChange, StoredTarget & { secret?: string | null | undefined }> = {
  ...{ noun: 'target', plural: 'targets', commands: 'alerts targets', path: targetsPath, listPath: targetsPath },
  ...{ list: storedTargetListSchema, schema: targetChangeSchema },
  one: storedTargetSchema.extend({ secret: z.string().nullish() }),
  declaredBy: toWritten,
  toYaml: (stored) => writeText(toWritten(stored)),
  isSame: (stored, { value }) => !hasSecrets(value) && isDeepStrictEqual(toWritten(stored), withoutSecrets(value)),
  toShown: ({ value }) => writeText(withoutSecrets(value)),
  toBody: ({ value }) => value,
  describeChange: (stored, wanted) =>
    listChanges(toWritten(stored), withoutSecrets(wanted)) + (hasSecrets(wanted) ? ', secrets written anew' : ''),
  preview: async () => [],
  describeMade: ({ secret }) => (secret ? [`secret ${secret}`, 'it is shown this once: keep it now'] : []),
};

const targetColumns: Column<StoredTarget>[] = [
  { head: 'TARGET', cell: ({ target }) => target.name, least: 8 },
  { head: 'KIND', cell: ({ target }) => target.kind },
  { head: 'TO', cell: ({ target }) => describePlace(target), least: 12 },
  { head: 'WAITING', right: true, cell: ({ waiting_count }) => formatCount(waiting_count) },
  {
    ...{ head: 'DEAD', right: true, cell: ({ dead_count }) => formatCount(dead_count) },
    style: ({ dead_count }) => (dead_count > 0 ? 'red' : undefined),
  },
  {
    head: '',
    cell: ({ disabled }) => (disabled ? `off since ${formatTime(disabled.since)}: ${disabled.because}` : ''),
    style: () => 'red',
  },
  { head: 'LAST ERROR', cell: ({ last_error }) => last_error ?? '-', least: 8, spare: 1 },
  { ...timeColumn('CHANGED', 'updated_at'), spare: 2 },
];

/** `alerts targets`: where alerts go. */
export function addTargetCommands(alerts: Command, shell: Shell): void {
  const targets = alerts.command('targets').description('where alerts go; secrets are written and never shown');
  addList(targets, shell, 'list', 'list all targets, without secrets', {
    ...{ example: 'alerts targets list', isDefault: true, path: targetsPath, schema: storedTargetListSchema },
    columns: targetColumns,
  });
  addGet(targets, shell, targetKind);
  addApplyCommands(targets, shell, targetKind);
  addReason(addCommand(targets, 'test <name>', 'send a message now, once', 'alerts targets test on-call')).action(
    async (name: string, { reason }: ReasonOption) => {
      const { id } = await findStored(shell, targetKind, name);
      const answer = await shell.api.send('POST', `${targetsPath}/${id}/test`, {}, testedSchema, { reason });
      const { delivered, status, error } = answer.data;
      const told = status === null ? '' : ` (HTTP ${status})`;
      if (!delivered)
        throw new CliError(`${toLineText(name)}: not delivered${told}: ${toLineText(error ?? 'no reason')}`);
      await shell.show(answer, () => `${toLineText(name)}: delivered${told}`);
    },
  );
}

/** A target's host, addresses or region: what of it is no secret. */
function describePlace(target: StoredTarget['target']): string {
  if (target.kind === 'email') return target.to.join(', ');
  if (target.kind === 'alertmanager') return target.urls.join(', ');
  return target.kind === 'webhook' ? target.url : (target.host ?? (target.kind === 'pagerduty' ? target.region : '-'));
}
