import { policyListSchema, previewSchema, type StoredPolicy, storedPolicySchema, withoutSigns } from '@agp/policy';
import { writePolicy } from '@agp/policy/yaml';
import type { Command } from 'commander';
import { createPatch } from 'diff';
import { addCommand, addReason, type ReasonOption } from './arguments.ts';
import { CliError } from './cli-error.ts';
import { readPolicyFiles, type WrittenPolicy } from './read-files.ts';
import type { Shell } from './shell.ts';

export const path = '/api/v1/policies';

export interface FileOption {
  filename: string[];
}

export const addFile = (command: Command) =>
  command.requiredOption('-f, --filename <path...>', 'files in YAML or JSON, or folders of them');

export const readStored = async ({ api }: Shell): Promise<StoredPolicy[]> =>
  (await api.get(path, policyListSchema)).data;

interface Planned {
  name: string;
  verb: 'created' | 'configured' | 'unchanged' | 'deleted';
  stored: StoredPolicy | null;
  wanted: WrittenPolicy | null;
}

export const toYaml = ({ text, policy }: Pick<StoredPolicy, 'text' | 'policy'>): string =>
  text ?? writePolicy(withoutSigns(policy));

function plan(stored: readonly StoredPolicy[], wanted: readonly WrittenPolicy[], prunes: boolean): Planned[] {
  const named = new Map(stored.map((each) => [each.policy.name, each]));
  const kept = wanted.map((each): Planned => {
    const { name } = each.policy;
    const known = named.get(name) ?? null;
    const verb = known === null ? 'created' : known.text === each.text ? 'unchanged' : 'configured';
    return { name, verb, stored: known, wanted: each };
  });
  const names = new Set(wanted.map(({ policy }) => policy.name));
  const others = prunes ? stored.filter(({ policy }) => !names.has(policy.name)) : [];
  return [
    ...kept,
    ...others.map((each): Planned => ({ name: each.policy.name, verb: 'deleted', stored: each, wanted: null })),
  ];
}

async function carryOut({ api }: Shell, { stored, wanted, verb }: Planned, reason: string | undefined): Promise<void> {
  if (verb === 'unchanged') return;
  const one = stored ? `${path}/${stored.id}` : path;
  if (wanted === null) await api.delete(one, { reason }, stored?.version);
  else await api.send(stored ? 'PUT' : 'POST', one, wanted.text, storedPolicySchema, { reason }, stored?.version);
}

/** What management knows of names that a file misspells. */
async function noteWarnings({ api, terminal }: Shell, { wanted, verb }: Planned): Promise<void> {
  if (verb === 'unchanged' || wanted === null) return;
  const body = { policies: [wanted.policy], from: new Date(Date.now() - 1_000).toISOString() };
  const { data } = await api.send('POST', `${path}/preview`, body, previewSchema);
  for (const words of data.warnings) terminal.note(`warning: ${words}`);
}

/** A file may switch off what was enforced. */
const describeMode = ({ stored, wanted }: Planned): string =>
  stored && wanted && stored.policy.mode !== wanted.policy.mode
    ? `, mode ${stored.policy.mode} -> ${wanted.policy.mode}`
    : '';

/** `apply` and `diff`: what files say, and what is stored. */
export function addApplyCommands(policies: Command, shell: Shell): void {
  const apply = addFile(
    addCommand(policies, 'apply', 'make policies what files say', 'policies apply -f policies/ --dry-run'),
  );
  addReason(apply)
    .option('--dry-run', 'say what would be changed, and change nothing')
    .option('--prune', 'delete all policies that the files do not have')
    .action(async (options: FileOption & ReasonOption & { dryRun?: boolean; prune?: boolean }) => {
      const planned = plan(await readStored(shell), readPolicyFiles(options.filename), options.prune === true);
      for (const each of planned) {
        if (!options.dryRun) await carryOut(shell, each, options.reason);
        await shell.terminal.print(
          `policy ${each.name} ${each.verb}${describeMode(each)}${options.dryRun ? ' (dry run)' : ''}`,
        );
        await noteWarnings(shell, each);
      }
    });

  addFile(
    addCommand(policies, 'diff', 'what apply would change; exit code 1 if it would', 'policies diff -f policies/'),
  ).action(async ({ filename }: FileOption) => {
    const planned = plan(await readStored(shell), readPolicyFiles(filename), false);
    const changed = planned.filter(({ verb }) => verb !== 'unchanged');
    for (const { name, stored, wanted } of changed)
      await shell.terminal.print(
        createPatch(name, stored ? toYaml(stored) : '', wanted?.text ?? '', 'stored', 'file').trimEnd(),
      );
    if (changed.length > 0) throw new CliError(`${changed.length} of ${planned.length} policies differ`);
  });
}
