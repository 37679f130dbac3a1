import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, formatCount } from '@agp/core/explain';
import { toLinesText, toLineText } from '@agp/core/text';
import { describeMatch } from '@agp/documents';
import { changeText, writeText } from '@agp/documents/yaml';
import {
  maxTriedText,
  type Policy,
  type PolicyRefusals,
  type Preview,
  policyListSchema,
  policyRefusalsSchema,
  policySchema,
  previewSchema,
  type StoredPolicy,
  storedPolicySchema,
  type TriedText,
  triedTextSchema,
  withoutSigns,
} from '@agp/policy';
import type { Command } from 'commander';
import { addApplyCommands, addFile, type FileOption, findStored, type Kind, readStored } from '../apply-files.ts';
import { addCommand, addReason, parseExpiry, parseWhole, type ReasonOption } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { type ExplainOptions, explainPolicies } from '../explain-policies.ts';
import { addList } from '../list.ts';
import {
  changeExceptions,
  describeEnded,
  describeExceptions,
  type ExceptOptions,
  noteUnseen,
} from '../policy-exceptions.ts';
import { readFiles, readInput } from '../read-files.ts';
import type { Shell } from '../shell.ts';
import { type Column, formatTime } from '../table.ts';

const path = '/api/v1/policies';

const columns: Column<StoredPolicy>[] = [
  { head: 'POLICY', cell: ({ policy }) => policy.name, least: 12 },
  {
    head: 'MODE',
    cell: ({ policy }) => policy.mode,
    style: ({ policy }) => (policy.mode === 'enforce' ? 'green' : 'yellow'),
  },
  { head: 'FOR', cell: ({ policy }) => describeMatch(policy.match), least: 16 },
  { head: 'REFUSED 24H', right: true, cell: ({ hits }) => formatCount(hits?.refused ?? 0) },
  { head: 'NOTED 24H', right: true, cell: ({ hits }) => formatCount(hits?.noted ?? 0), spare: 1 },
  { head: 'VERSION', right: true, cell: ({ version }) => formatCount(version), spare: 2 },
  { head: 'CHANGED', cell: ({ updated_at }) => formatTime(updated_at), spare: 3 },
];

/** What management knows of names that a file misspells. */
async function noteWarnings(shell: Shell, policy: Policy): Promise<string[]> {
  const { api, terminal } = shell;
  const body = { policies: [policy], from: new Date(Date.now() - 1_000).toISOString() };
  const { data } = await api.send('POST', `${path}/preview`, body, previewSchema);
  for (const words of data.warnings) terminal.note(`warning: ${words}`);
  await noteUnseen(shell, { agent: policy.match.agents ?? [] });
  return [];
}

const kind: Kind<Policy, StoredPolicy> = {
  ...{ noun: 'policy', plural: 'policies', path, listPath: path },
  ...{ list: policyListSchema, one: storedPolicySchema, schema: policySchema },
  declaredBy: ({ policy }) => policy,
  toYaml: ({ text, policy }) => text ?? writeText(withoutSigns(policy)),
  isSame: (stored, { text }) => stored.text === text,
  toBody: ({ text }) => text,
  // A file may switch off what was enforced, and end what it does not know.
  describeChange: ({ policy }, wanted) =>
    `${policy.mode === wanted.mode ? '' : `, mode ${policy.mode} -> ${wanted.mode}`}${describeEnded(policy, wanted)}`,
  preview: noteWarnings,
};

/** Stores a policy with a member changed, and its comments as they are. */
async function change(shell: Shell, name: string, make: (before: Policy) => Partial<Policy>, reason?: string) {
  const { id, version, policy, text } = await findStored(shell, kind, name);
  const changed = make(policy);
  const rewrite = (said: string) =>
    Object.entries(changed).reduce((before, [member, value]) => changeText(before, [member], value), said);
  const body = text === null ? { ...policy, ...changed } : rewrite(text);
  return shell.api.send('PUT', `${path}/${id}`, body, storedPolicySchema, { reason }, version);
}

const listShares = (title: string, shares: Preview['by']['rule']) =>
  shares.length === 0
    ? []
    : [`${title}: ${shares.map(({ name, requests }) => `${name} ${formatCount(requests)}`).join(', ')}`];

/** `by day: 2026-11-26 30, most at 09:00 (12)`, a line a day. */
const listDays = (hours: Preview['by']['hour']) =>
  [...Map.groupBy(hours, ({ name }) => name.slice(0, 10))].map(([day, ofDay]) => {
    const total = ofDay.reduce((sum, { requests }) => sum + requests, 0);
    const most = ofDay.reduce((one, other) => (other.requests > one.requests ? other : one));
    return `by day: ${day} ${formatCount(total)}, most at ${most.name.slice(11, 16)} (${formatCount(most.requests)})`;
  });

function describePreview(preview: Preview): string {
  const { from, to, requests, is_complete: isComplete, refused, excepted, flagged, agents, by, examples } = preview;
  const range = `${formatTime(from)} to ${formatTime(to)}`;
  return [
    `would have refused, changed or cut ${formatCount(refused)} of ${formatCount(requests)} requests, of ${formatCount(agents)} agents (${range})`,
    ...(excepted === 0 ? [] : [`exceptions would have let ${formatCount(excepted)} pass`]),
    ...(flagged === 0 ? [] : [`would have flagged ${formatCount(flagged)}`]),
    ...(isComplete ? [] : ['older requests of that time were not looked at: there are too many']),
    ...listShares('not known to any table (harmless_members of a provider may name members)', by.unread),
    ...[...listShares('by rule', by.rule), ...listShares('by agent', by.agent), ...listShares('by model', by.model)],
    ...[...listShares('by tool', by.tool), ...listDays(by.hour)],
    ...(examples.length > 0 ? ['examples:'] : []),
    ...examples.map(
      (each) =>
        `  ${each.event_id}  ${each.agent_name}  ${each.model}  ${each.policy} (rule ${each.rule}): ${each.reason}`,
    ),
    ...preview.cannot_tell.map(
      ({ rule, requests: count, reason }) => `cannot tell for ${formatCount(count)} requests, ${rule}: ${reason}`,
    ),
    ...preview.never.map(({ policy, rule }) =>
      rule === null ? `${policy} matched no request` : `${policy} (rule ${rule}) found nothing`,
    ),
    ...preview.unseen.map(({ policy, rule, name }) => `${policy} (${rule}) names ${name}, which no request had`),
    ...preview.contradictions.map((words) => `contradiction: ${words}`),
    ...preview.warnings.map((words) => `warning: ${words}`),
    'labels are those that agents had then; requests that a policy refused were not recorded',
  ].join('\n');
}

const describeTried = ({ found, sent, notes }: TriedText): string =>
  [
    ...(found.length === 0 ? ['found nothing'] : []),
    ...found.map(({ policy, kind: name, action, count }) => `${policy}: ${name} ${formatCount(count)}, ${action}`),
    ...notes,
    ...(sent === null ? [] : ['sent:', toLinesText(sent, sent.length)]),
  ].join('\n');

/** @param policy as it is stored, with its hits */
const describeRefusals = (
  { from, refused, days, teams, unlisted }: PolicyRefusals,
  { policy: { name }, hits }: StoredPolicy,
): string =>
  [
    `refused ${countOf(refused, 'request')} since ${formatTime(from)} UTC`,
    ...(hits && hits.noted > 0
      ? [`noted ${countOf(hits.noted, 'request')}: events list --policy ${name} --from ${hits.since}`]
      : []),
    ...days.filter((each) => each.refused > 0).map((each) => `by day: ${each.day} ${formatCount(each.refused)}`),
    ...teams.map(
      (each) =>
        `by team: ${toLineText(each.team ?? 'no team')} ${formatCount(each.refused)}, of ${countOf(each.agents, 'agent')}`,
    ),
    ...(unlisted > 0 ? [`of teams that are not told: ${formatCount(unlisted)}`] : []),
  ].join('\n');

/** `policies`: what is allowed, for whom. */
export function addPolicyCommands(program: Command, shell: Shell): void {
  const policies = program
    .command('policies')
    .description('which models, providers, operations, tools, hours and places, and what personal data, for whom');

  addList(policies, shell, 'list', 'list all policies', {
    path: `${path}?expand=hits`,
    schema: policyListSchema,
    columns,
  });

  addCommand(policies, 'show <name>', 'show a policy as YAML', 'policies show interns').action(async (name: string) => {
    const stored = await findStored(shell, kind, name);
    const notes = describeExceptions(stored.policy).map((words) => `\n# exception ${words}`);
    await shell.terminal.print(shell.json ? JSON.stringify(stored) : kind.toYaml(stored).trimEnd() + notes.join(''));
  });

  addCommand(
    policies,
    'hits <name>',
    'what a policy refused in the last 14 days, by day and by the team that agents have now',
    'policies hits interns',
  ).action(async (name: string) => {
    const stored = await findStored(shell, { ...kind, listPath: `${path}?expand=hits` }, name);
    const answer = await shell.api.get(`${path}/${stored.id}/refusals`, policyRefusalsSchema);
    await shell.show(answer, (refusals) => describeRefusals(refusals, stored));
  });

  addApplyCommands(policies, shell, kind);

  addCommand(policies, 'export', 'print all policies as YAML', 'policies export --dir policies/')
    .option('--dir <folder>', 'write a file for each policy there')
    .action(async ({ dir }: { dir?: string }) => {
      const all = await readStored(shell, kind);
      if (dir === undefined) return shell.terminal.print(all.map(kind.toYaml).join('---\n').trimEnd());
      mkdirSync(dir, { recursive: true });
      for (const each of all) writeFileSync(join(dir, `${each.policy.name}.yaml`), kind.toYaml(each));
      shell.terminal.note(`wrote ${all.length} files`);
    });

  addFile(
    addCommand(policies, 'preview', 'what policies would have done', 'policies preview -f interns.yaml --from 7d'),
  )
    .option('--from <time>', 'since 7d, 24h, yesterday, 2026-11-20 or an ISO 8601 time; days are UTC', '7d')
    .option('--to <time>', 'until such a time')
    .action(async ({ filename, from, to }: FileOption & { from: string; to?: string }) => {
      const body = {
        policies: readFiles(filename, kind).map(({ value }) => value),
        from,
        ...(to !== undefined && { to }),
      };
      await shell.show(await shell.api.send('POST', `${path}/preview`, body, previewSchema), describePreview);
    });

  addFile(
    addCommand(
      policies,
      'try',
      'what policies find in a text from standard input, and what would be passed on; nothing is stored; exit code 1 if it is blocked',
      'policies try -f bank.yaml < mail.txt',
    ),
  )
    .option('--response', 'as if a provider had answered it', false)
    .action(async ({ filename, response }: FileOption & { response: boolean }) => {
      const body = {
        policies: readFiles(filename, kind).map(({ value }) => value),
        text: await readInput('text', 4 * maxTriedText),
        direction: response ? 'response' : 'request',
      };
      const answer = await shell.api.send('POST', `${path}/try`, body, triedTextSchema);
      await shell.show(answer, describeTried);
      if (answer.data.refusal !== null) throw new CliError(`It would be refused: ${toLineText(answer.data.refusal)}`);
    });

  addCommand(
    policies,
    'explain',
    'what each policy says of a request',
    'policies explain --agent nightly --model gpt-5',
  )
    .requiredOption('--agent <agent>', 'its name or id; its labels count')
    .option('--tag <tag>', 'the compliance tag', 'default')
    .option('--provider <provider>', 'the provider', 'openai')
    .option('--operation <name>', 'such as chat.completions, responses, messages, images.edits', 'chat.completions')
    .option('--model <model>', 'a model that it names')
    .option('--tool <tool>', 'a tool that it offers and runs itself')
    .option('--hosted-tool <tool>', 'a tool that it offers and the provider runs')
    .option('--mcp-host <host>', 'a remote MCP server that it offers')
    .option('--output-tokens <n>', 'the bound of its output', parseWhole(1))
    .option('--input-bytes <n>', 'the size of its body', parseWhole(0))
    .option('--at <time>', 'when; now if it is not given')
    .action(async (options: ExplainOptions) => explainPolicies(shell, await readStored(shell, kind), options));

  const mode = addCommand(policies, 'mode <name>', 'switch a policy', 'policies mode interns enforce');
  addReason(mode)
    .addArgument(mode.createArgument('<mode>', 'observe, warn or enforce').choices(['observe', 'warn', 'enforce']))
    .action(async (name: string, wanted: Policy['mode'], { reason }: ReasonOption) => {
      const answer = await change(shell, name, () => ({ mode: wanted }), reason);
      await shell.showRows(
        answer,
        (data) => [data],
        columns.filter(({ head }) => !/24H/.test(head)),
      );
    });

  const except = addCommand(
    policies,
    'except <policy>',
    'let some requests pass until a time, or end that',
    'policies except interns --agent nightly --rule models --until 12h --reason month-end',
  );
  addReason(except)
    .option('--agent <name...>', 'for these agents')
    .option('--label <name=value...>', 'for agents with all of these labels')
    .option('--rule <rule...>', 'from these rules, such as models, or all that begin so, such as limits')
    .option('--until <when>', 'a span such as 12h, or a time', parseExpiry)
    .option('--end <n>', 'end the exception of this number', parseWhole(1))
    .option('--all', 'end all exceptions')
    .action(async (name: string, options: ExceptOptions) => {
      const answer = await change(shell, name, (before) => changeExceptions(before, options), options.reason);
      await noteUnseen(shell, options);
      await shell.show(answer, ({ policy }) => describeExceptions(policy).join('\n') || 'there are no exceptions');
      if (options.until !== undefined)
        shell.terminal.note('if a file has this policy: write it into the file too, or the next apply ends it');
    });
}
