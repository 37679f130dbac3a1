import { auditActions } from '@agp/core/audit';
import {
  type AuditVerdict,
  anchorListSchema,
  auditChainSchema,
  auditListSchema,
  auditVerdictSchema,
  type ListedAuditEntry,
} from '@agp/core/contracts';
import { checkServedChain, findRemovalFault, finishCheck } from '@agp/core/lineage';
import { toLineText } from '@agp/core/text';
import { type Command, Option } from 'commander';
import { writeQuery } from '../api.ts';
import { addCommand, addFilters, addPaging } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { findGivenAgentId, readAgentNames } from '../find-agent.ts';
import { describeDivergence, findLoss, headOption } from '../known-head.ts';
import type { Shell } from '../shell.ts';
import { timeColumn } from '../table.ts';
import { formatCount, formatTime } from '../values.ts';

/** Fields of one change that are shown, and UTF-16 units of each of their values. */
const most = { fields: 20, value: 120 };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Quoted unless it is a plain word, so that no text passes for a change that was not made. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value !== 'string') return toLineText(JSON.stringify(value), most.value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTime(value);
  return /^[\w@:+/-][\w.@:+/-]*$/.test(value) && value !== 'none'
    ? toLineText(value, most.value)
    : toLineText(JSON.stringify(value), most.value);
}

function listValues(state: Record<string, unknown> | null, prefix = ''): Map<string, unknown> {
  const entries = Object.entries(state ?? {}).flatMap(([name, value]): [string, unknown][] => {
    const path = prefix + (/^[\w-]{1,64}$/.test(name) ? name : toLineText(JSON.stringify(name), 64));
    return isObject(value) && prefix === '' ? [...listValues(value, `${path}.`)] : [[path, value]];
  });
  return new Map(entries);
}

/**
 * An entry in one line: each changed field as `status: active -> blocked`, all values of a thing that was made or removed, or counts of
 * refusals by reason.
 * @param isBrief leaves out what was before
 */
export function formatChange({ action, count, before, after }: ListedAuditEntry, isBrief = false): string {
  if (action === 'request.refused') {
    const reasons = [...listValues(after)].map(
      ([name, times]) =>
        `${name.replace('reasons.', '')} ${typeof times === 'number' ? formatCount(times) : formatValue(times)}`,
    );
    return `${formatCount(count)} refused: ${reasons.slice(0, most.fields).join(', ')}`;
  }
  const [old, now] = [listValues(before), listValues(after)];
  const changes = [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [formatValue(old.get(name)), formatValue(now.get(name))];
    if (before === null) return `${name}: ${is}`;
    if (after === null) return `${name}: ${was}`;
    return JSON.stringify(old.get(name)) === JSON.stringify(now.get(name))
      ? []
      : `${name}${isBrief ? '' : `: ${was}`} -> ${is}`;
  });
  const more = changes.length - most.fields;
  return [...changes.slice(0, most.fields), ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || '-';
}

async function downloadAndCheck(api: Shell['api'], knownHead: string | undefined, isLastTry = false) {
  const { data: told } = await api.get('/api/v1/audit/verify', auditVerdictSchema);
  const chain = await api.get('/api/v1/audit/chain', auditChainSchema);
  const { entries } = chain.data;
  const { head, ...check } = finishCheck(checkServedChain(told, entries));
  const divergence = check.divergence ?? findLoss(head, entries, knownHead);
  if (divergence !== null) return { chain, head, divergence, removalFault: null };
  const anchors = await api.get('/api/v1/lineage/removals', anchorListSchema);
  const removalFault = findRemovalFault(entries, anchors.data);
  // Events may have been removed between the two downloads. That does not happen twice in a row.
  if (removalFault !== null && !isLastTry) return downloadAndCheck(api, knownHead, true);
  return { chain, head, divergence, removalFault };
}

/** `audit`: who changed what, and what was refused. */
export function addAuditCommands(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('who changed what, and what was refused');

  const list = addCommand(
    audit,
    'list',
    'list entries of the audit log, newest first',
    'audit list --agent invoice-checker',
  );
  addPaging(addFilters(list), 50)
    .addOption(new Option('--action <action>', 'only this action').choices(auditActions))
    .action(async ({ agent, ...given }) => {
      const { api } = shell;
      const filter = { agent_id: await findGivenAgentId(api, agent), ...given };
      const answer = await api.get(writeQuery('/api/v1/audit', filter), auditListSchema);
      const isTable = !shell.json && answer.data.length > 0;
      const names = isTable ? await readAgentNames(api) : null;
      await shell.showRows(answer, (data) => data, [
        timeColumn<ListedAuditEntry>('TIME', ({ timestamp }) => timestamp),
        { head: 'WHO', cell: ({ actor }) => ('name' in actor ? actor.name : actor.kind), least: 8 },
        { head: 'FROM', cell: ({ source_ip }) => source_ip ?? '-', spare: 3 },
        {
          head: 'ACTION',
          cell: (entry) => entry.action,
          style: (entry) => (entry.action === 'request.refused' ? 'yellow' : undefined),
        },
        {
          head: 'ABOUT',
          cell: ({ agent_id, target }) => (agent_id && names?.find(agent_id)) ?? target ?? '-',
          least: 10,
        },
        {
          head: 'WHAT',
          cell: (entry) => formatChange(entry),
          brief: (entry) => formatChange(entry, true),
          least: 17,
        },
        { head: 'WHY', cell: ({ reason }) => reason ?? '-', least: 8, spare: 1 },
      ]);
    });

  addCommand(
    audit,
    'verify',
    'download the audit log and check its chain, and the removals of retention against it, without trusting the server; ends with 1 where it diverges or was cut off',
    'audit verify',
  )
    .option(...headOption)
    .action(async ({ head: knownHead }: { head?: string }) => {
      const { chain, head: end, divergence, removalFault } = await downloadAndCheck(shell.api, knownHead);
      const valid = divergence === null && removalFault === null;
      const data: AuditVerdict = {
        valid,
        length: end.length,
        head: end.hash,
        first_divergence: divergence?.seq ?? null,
      };
      if (shell.json || valid) {
        await shell.show({ ...chain, data, text: JSON.stringify(data) }, ({ length, head }, paint) =>
          [paint('green', `the audit log is as it was written: ${formatCount(length)} entries`), `head ${head}`].join(
            '\n',
          ),
        );
      }
      if (divergence !== null) {
        const id = chain.data.entries[divergence.seq]?.id;
        throw new CliError(`the audit log ${describeDivergence(divergence, id)}`);
      }
      if (removalFault !== null)
        throw new CliError(`events were removed that retention did not remove: ${removalFault}`);
    });
}
