import { type Db, listOpenAlerts, listRules, listSessionsAfter, listTargets, noteChains, takeChains } from '@agp/db';
import { verifyAudit, verifyLineage } from '../reads/verify.ts';
import type { Cause } from './causes/look.ts';
import { matchRules, settleRule } from './settle.ts';

/** In milliseconds: how often somebody verifies, and how often the whole audit log. */
const everyMs = { sessions: 60_000, audit: 3_600_000 };
/** Sessions of a turn, and how long it goes on to the next, in milliseconds. */
const turn = { sessions: 50, ms: 10_000 };

const auditSubject = 'audit log';

const causeOf = (subject: string, at: number): Cause<'chain'> =>
  subject === auditSubject
    ? { subject, path: '/audit', facts: { chain: 'the audit log', at } }
    : { subject, path: `/sessions/${subject}`, facts: { chain: `session ${subject}`, at } };

/**
 * Verifies the audit log each hour and sessions in turn, in one process at a time, and settles the rules that tell of it. Returns whether
 * there is something to deliver.
 */
export async function verifyChains(db: Db, reads: Db): Promise<boolean> {
  const all = matchRules(await listRules(reads), await listOpenAlerts(reads)).rules;
  const rules = all.filter(({ rule }) => rule.on === 'chain');
  if (rules.length === 0) return false;
  const watch = await takeChains(db, everyMs.sessions);
  if (watch === undefined) return false;
  const at = new Date();
  const open = new Set(rules.flatMap((rule) => rule.open.map(({ subject }) => subject)));
  const faults = new Map<string, number>();
  const note = (subject: string, divergence: number | null | undefined) => {
    if (typeof divergence === 'number') faults.set(subject, divergence);
  };
  const isAuditDue = at.getTime() - watch.audit_verified_at.getTime() >= everyMs.audit;
  if (isAuditDue || open.has(auditSubject)) note(auditSubject, (await verifyAudit(reads)).first_divergence);
  open.delete(auditSubject);
  for (const id of open) note(id, (await verifyLineage(reads, id))?.first_divergence);
  const sessions = await listSessionsAfter(reads, watch.chain_after, turn.sessions);
  let after = '';
  for (const id of sessions) {
    note(id, (await verifyLineage(reads, id))?.first_divergence);
    after = id;
    if (Date.now() - at.getTime() > turn.ms) break;
  }
  if (sessions.length < turn.sessions && after === (sessions.at(-1) ?? '')) after = '';
  const targets = await listTargets(reads);
  const causes = [...faults].map(([subject, divergence]) => causeOf(subject, divergence));
  return await db.transaction().execute(async (transaction) => {
    await noteChains(transaction, after, isAuditDue ? at : watch.audit_verified_at);
    let isNews = false;
    for (const each of rules)
      isNews = (await settleRule(transaction, each, causes, { targets, at, isExact: true })) || isNews;
    return isNews;
  });
}
