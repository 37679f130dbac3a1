import { auditActions } from '@agp/core/audit';
import {
  anchorListSchema,
  auditChainSchema,
  auditListQuerySchema,
  auditListSchema,
  auditVerdictSchema,
  type ListedAuditEntry,
} from '@agp/core/contracts';
import { countOf, describeChange, nameChanged } from '@agp/core/explain';
import { checkServedChain, findRemovalFault, finishCheck } from '@agp/core/lineage';
import { shortenId } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand } from '../arguments.ts';
import { addList } from '../list.ts';
import type { Shell } from '../shell.ts';
import { timeColumn } from '../table.ts';
import { findLoss, type HeadOption, headOption, tellVerdict } from '../verdict.ts';

const describe = (entry: ListedAuditEntry, isBrief = false) => describeChange(entry, { arrow: ' -> ', isBrief });

/** By name, with the id by which it is asked for. */
function nameSubject(entry: ListedAuditEntry): string {
  const { agent_id, agent_name, target } = entry;
  const name = nameChanged(entry);
  if (agent_id !== null || target === null || name === null || name === target)
    return agent_name ?? agent_id ?? target ?? '-';
  return `${name} (${shortenId(target, 4)})`;
}

async function verifyAudit(shell: Shell, options: HeadOption, isLastTry = false): Promise<void> {
  const { api } = shell;
  const { data: told } = await api.get('/api/v1/audit/verify', auditVerdictSchema);
  const chain = await api.get('/api/v1/audit/chain', auditChainSchema);
  const links = chain.data.entries;
  const check = findLoss(finishCheck(checkServedChain(told, links)), links, options);
  const anchors = check.divergence === null ? await api.get('/api/v1/lineage/removals', anchorListSchema) : null;
  const removalFault = anchors && findRemovalFault(links, anchors.data);
  // Events may have been removed between the two downloads. That does not happen twice in a row.
  if (removalFault !== null && !isLastTry) return verifyAudit(shell, options, true);
  const otherFault = removalFault && `events were removed that retention did not remove: ${removalFault}`;
  const count = countOf(check.head.length, 'entry', 'entries');
  await tellVerdict(shell, chain, { name: 'the audit log', check, links, count, otherFault });
}

/** `audit`: who changed what, and what was refused. */
export function addAuditCommands(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('who changed what, and what was refused');

  addList(audit, shell, 'list', 'list entries of the audit log, newest first', {
    example: 'audit list --action policy.create,policy.update',
    path: '/api/v1/audit',
    query: auditListQuerySchema,
    choices: { action: auditActions },
    expand: 'agent',
    csv: true,
    schema: auditListSchema,
    columns: [
      timeColumn('TIME', 'timestamp'),
      { head: 'WHO', cell: ({ actor }) => ('name' in actor ? actor.name : actor.kind), least: 8 },
      { head: 'FROM', cell: ({ source_ip }) => source_ip ?? '-', spare: 3 },
      {
        head: 'ACTION',
        cell: ({ action }) => action,
        style: ({ action }) => (action === 'request.refused' ? 'yellow' : undefined),
      },
      { head: 'ABOUT', cell: nameSubject, least: 10 },
      { head: 'WHAT', cell: (entry) => describe(entry), brief: (entry) => describe(entry, true), least: 17 },
      { head: 'WHY', cell: ({ reason }) => reason ?? '-', least: 8, spare: 1 },
    ],
  });

  addCommand(
    audit,
    'verify',
    'download the audit log and check its chain, and the removals of retention against it, without trusting the server; ends with 1 where it diverges or was cut off',
    'audit verify',
  )
    .option(...headOption)
    .action((options: HeadOption) => verifyAudit(shell, options));
}
