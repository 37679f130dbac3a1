import { type Db, listDocuments, listOpenAlerts, listSessionsAfter, lockWatch, noteChains, takeChains } from '@agp/db';
import { verifyAudit, verifyLineage } from '../reads/verify.ts';
import type { Cause } from './causes/look.ts';
import { matchRules, settleRule } from './settle.ts';

/** In milliseconds: how often somebody verifies, and how often the whole audit log. */
const everyMs = { sessions: 55_000, audit: 3_600_000 };
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
  const watched = matchRules(await listDocuments(reads, 'rule'), await listOpenAlerts(reads)).rules;
  const rules = watched.filter(({ rule }) => rule.on === 'chain');
  if (rules.length === 0) return false;
  const watch = await takeChains(db, everyMs.sessions);
  if (watch === undefined) return false;
  const at = new Date();
  const open = new Set(rules.flatMap((rule) => rule.open.map(({ subject }) => subject)));
  const faults = new Map<string, number>();
  /** What cannot be verified now stays as it is, and keeps no other from its turn. */
  const unread = new Set<string>();
  const verify = async (subject: string) => {
    try {
      const verdict = await (subject === auditSubject ? verifyAudit(reads) : verifyLineage(reads, subject));
      if (typeof verdict?.first_divergence === 'number') faults.set(subject, verdict.first_divergence);
    } catch {
      unread.add(subject);
    }
  };
  const isAuditDue = at.getTime() - watch.audit_verified_at.getTime() >= everyMs.audit;
  for (const subject of isAuditDue ? open.union(new Set([auditSubject])) : open) await verify(subject);
  const sessions = await listSessionsAfter(reads, watch.chain_after, turn.sessions);
  let after = watch.chain_after;
  for (const id of sessions) {
    if (Date.now() - at.getTime() > turn.ms) break;
    await verify(id);
    after = id;
  }
  if (sessions.length < turn.sessions && after === (sessions.at(-1) ?? after)) after = '';
  const targets = await listDocuments(reads, 'target');
  const causes = [...faults].map(([subject, divergence]) => causeOf(subject, divergence));
  return await db.transaction().execute(async (transaction) => {
    await lockWatch(transaction);
    await noteChains(transaction, after, isAuditDue && !unread.has(auditSubject) ? at : watch.audit_verified_at);
    let isNews = false;
    for (const { open: all, ...each } of rules) {
      const known = { ...each, open: all.filter(({ subject }) => !unread.has(subject)) };
      isNews = (await settleRule(transaction, known, causes, { targets, at, isExact: () => true })) || isNews;
    }
    return isNews;
  });
}
