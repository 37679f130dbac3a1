import { hidesModel } from '@agp/core/bedrock';
import { type Agent, agentListSchema } from '@agp/core/contracts';
import { readProfileGeo } from '@agp/core/geos';
import { readLabels } from '@agp/core/labels';
import { listOperationNames } from '@agp/core/operations';
import { describeMatch } from '@agp/documents';
import { applies, familyOf, judgeBody, judgeHead, type Policy, prepareRules, type StoredPolicy } from '@agp/policy';
import { UsageError } from './cli-error.ts';
import type { Shell } from './shell.ts';

export interface ExplainOptions {
  agent: string;
  tag: string;
  provider: string;
  operation: string;
  model?: string;
  tool?: string;
  hostedTool?: string;
  mcpHost?: string;
  outputTokens?: number;
  inputBytes?: number;
  at?: string;
}

/** Families of rules that ask what no option tells. */
const untold = ['pii', 'check', 'where'];

/** Bedrock's names of models tell where they may run. */
const readPlace = (model: string | undefined) => (model === undefined ? undefined : readProfileGeo(model));

/** The command line does not know PROVIDERS_FILE. */
export function noteHidden(shell: Shell, model: string | undefined): void {
  if (model !== undefined && hidesModel(model))
    shell.terminal.note('this ARN hides its model: if "profiles" of PROVIDERS_FILE names it, ask for ARN#MODEL');
}

/** Prints what each policy says of a request, as far as it was told. @throws UsageError for a time that is none */
export async function explainPolicies(
  shell: Shell,
  stored: readonly StoredPolicy[],
  options: ExplainOptions,
): Promise<void> {
  const { agent, tag, provider, operation, model, tool, hostedTool, mcpHost, outputTokens, inputBytes, at } = options;
  const { data: agents } = await shell.api.get('/api/v1/agents', agentListSchema);
  const known: Agent | undefined = agents.find(({ id, name }) => id === agent || name === agent);
  const time = at === undefined ? Date.now() : Date.parse(at);
  if (Number.isNaN(time)) throw new UsageError('--at must be a time such as 2026-11-20T22:00:00+01:00');
  noteHidden(shell, model);
  const geo = readPlace(model);
  const facts = {
    agent: known?.name ?? agent,
    labels: Object.fromEntries(readLabels(known?.metadata ?? {})),
    ...{ tag, provider, operations: listOperationNames(operation), at: time },
    models: model === undefined ? [] : [model],
    tools: [...listTool('client', tool), ...listTool('hosted', hostedTool), ...listTool('remote_mcp', mcpHost)],
    ...{ geo, output_tokens: outputTokens ?? 0, input_bytes: inputBytes ?? 0, nano_usd: 0 },
  };
  const rules = prepareRules(1, stored);
  const judged = [...judgeHead(rules, facts), ...judgeBody(rules, facts)];
  const findings = judged.filter(
    ({ rule }) => !untold.includes(familyOf(rule)) || (rule === 'where.geo' && geo !== undefined),
  );
  const lines = rules.policies.map((prepared) => {
    const { name, mode, match } = prepared.policy;
    if (!applies(prepared, facts)) return `${name}: does not match (for ${describeMatch(match)})`;
    const against = findings.filter(({ policy }) => policy === prepared.policy);
    if (against.length === 0) return `${name}: matches${describeUnasked(prepared.policy, options)}`;
    const verb = { enforce: 'refuses it', warn: 'would refuse it, and warns', observe: 'would refuse it' }[mode];
    return against
      .map(({ rule, reason, exception }) => {
        const does = exception === null ? verb : `lets it pass by an exception until ${exception.until}`;
        return `${name}: ${does} (rule ${rule}): ${reason}`;
      })
      .join('\n');
  });
  if (known === undefined) shell.terminal.note(`no agent is named ${agent} yet: it has no labels`);
  await shell.terminal.print(lines.length === 0 ? 'there are no policies' : lines.join('\n'));
}

const listTool = (kind: 'client' | 'hosted' | 'remote_mcp', name: string | undefined) =>
  name === undefined ? [] : [{ kind, names: [name] }];

/** `, and lets it pass`, unless a rule asks what the command was not told. */
function describeUnasked({ models, tools, limits, pii, check, where, require }: Policy, given: ExplainOptions): string {
  const geo = readPlace(given.model);
  const place = geo && where?.store === undefined ? `whether the region that is called is in ${geo}` : 'where it goes';
  const unasked = [
    ...(models && given.model === undefined ? ['--model'] : []),
    ...(tools?.client && given.tool === undefined ? ['--tool'] : []),
    ...(tools?.hosted && given.hostedTool === undefined ? ['--hosted-tool'] : []),
    ...(tools?.remote_mcp && given.mcpHost === undefined ? ['--mcp-host'] : []),
    ...(limits?.max_output_tokens && given.outputTokens === undefined ? ['--output-tokens'] : []),
    ...(limits?.max_input_bytes && given.inputBytes === undefined ? ['--input-bytes'] : []),
    ...(limits?.max_cost_usd ? ['what it costs'] : []),
    ...(pii ? ['what its texts hold ("policies try" judges one)'] : check ? ['what its texts hold'] : []),
    ...(where ? [place] : []),
    ...(require ? ['which guardrail it asks for'] : []),
  ];
  return unasked.length === 0 ? ', and lets it pass' : `; not judged, since not given: ${unasked.join(', ')}`;
}
