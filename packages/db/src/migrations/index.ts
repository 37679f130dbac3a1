import type { Migration, MigrationProvider } from 'kysely/migration';
import * as initial from './0001-initial.ts';
import * as unpricedUsage from './0002-unpriced-usage.ts';
import * as claimedBills from './0003-claimed-bills.ts';
import * as control from './0004-control.ts';
import * as reportingViews from './0005-reporting-views.ts';
import * as retention from './0006-retention.ts';
import * as positiveSums from './0007-positive-sums.ts';
import * as unrecordedRequests from './0008-unrecorded-requests.ts';
import * as doubtfulUsage from './0010-doubtful-usage.ts';
import * as removalRoots from './0011-removal-roots.ts';
import * as failures from './0012-failures.ts';
import * as usageRollups from './0013-usage-rollups.ts';
import * as refusalTotals from './0014-refusal-totals.ts';
import * as consoleSessions from './0015-console-sessions.ts';
import * as forwardedRequests from './0016-forwarded-requests.ts';
import * as auditOrder from './0017-audit-order.ts';

const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-unpriced-usage': unpricedUsage,
  '0003-claimed-bills': claimedBills,
  '0004-control': control,
  '0005-reporting-views': reportingViews,
  '0006-retention': retention,
  '0007-positive-sums': positiveSums,
  '0008-unrecorded-requests': unrecordedRequests,
  '0010-doubtful-usage': doubtfulUsage,
  '0011-removal-roots': removalRoots,
  '0012-failures': failures,
  '0013-usage-rollups': usageRollups,
  '0014-refusal-totals': refusalTotals,
  '0015-console-sessions': consoleSessions,
  '0016-forwarded-requests': forwardedRequests,
  '0017-audit-order': auditOrder,
};

/** The migrations in their order. A migration that has been released is never edited. */
export const migrationProvider: MigrationProvider = { getMigrations: async () => migrations };

/** The one that is applied last. */
export const lastMigration = Object.keys(migrations).sort().at(-1) as string;
