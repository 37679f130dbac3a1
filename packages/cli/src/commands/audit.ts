import { auditActions } from '@agp/core/audit';
import {
  type AuditVerdict,
  anchorListSchema,
  auditChainSchema,
  auditListSchema,
  auditVerdictSchema,
  type ListedAuditEntry,
} from '@agp/core/contracts';
import { describeChange, formatCount } from '@agp/core/explain';
import { checkServedChain, findRemovalFault, finishCheck } from '@agp/core/lineage';
import { type Command, Option } from 'commander';
import { writeQuery } from '../api.ts';
import { addCommand, addFilters, addPaging } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { findGivenAgentId, readAgentNames } from '../find-agent.ts';
import { describeDivergence, findLoss, headOption } from '../known-head.ts';
import type { Shell } from '../shell.ts';
import { timeColumn } from '../table.ts';

const describe = (entry: ListedAuditEntry, isBrief = false) => describeChange(entry, { arrow: ' -> ', isBrief });

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
          cell: (entry) => describe(entry),
          brief: (entry) => describe(entry, true),
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
