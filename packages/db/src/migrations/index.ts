import type { Migration, MigrationProvider } from 'kysely/migration';
import * as baseline from './0001-baseline.ts';
import * as results from './0002-results.ts';
import * as blockedUntil from './0003-blocked-until.ts';
import * as policies from './0004-policies.ts';
import * as decisions from './0005-decisions.ts';
import * as versions from './0006-versions.ts';
import * as firstBytes from './0007-first-bytes.ts';
import * as consoleViews from './0008-console-views.ts';
import * as labels from './0009-labels.ts';
import * as told from './0010-told.ts';
import * as budgets from './0011-budgets.ts';
import * as alerts from './0012-alerts.ts';
import * as identities from './0013-identities.ts';
import * as teams from './0014-teams.ts';
import * as endpoints from './0015-endpoints.ts';
import * as providerKeys from './0016-provider-keys.ts';
import * as stops from './0017-stops.ts';
import * as urgency from './0018-urgency.ts';
import * as reach from './0019-reach.ts';
import * as surge from './0020-surge.ts';
import * as bills from './0021-bills.ts';
import * as texts from './0022-texts.ts';

const migrations: Record<string, Migration> = {
  '0001-baseline': baseline,
  '0002-results': results,
  '0003-blocked-until': blockedUntil,
  '0004-policies': policies,
  '0005-decisions': decisions,
  '0006-versions': versions,
  '0007-first-bytes': firstBytes,
  '0008-console-views': consoleViews,
  '0009-labels': labels,
  '0010-told': told,
  '0011-budgets': budgets,
  '0012-alerts': alerts,
  '0013-identities': identities,
  '0014-teams': teams,
  '0015-endpoints': endpoints,
  '0016-provider-keys': providerKeys,
  '0017-stops': stops,
  '0018-urgency': urgency,
  '0019-reach': reach,
  '0020-surge': surge,
  '0021-bills': bills,
  '0022-texts': texts,
};

/** In their order. A migration that has been released is never edited. */
export const migrationProvider: MigrationProvider = { getMigrations: async () => migrations };

export const lastMigration = Object.keys(migrations).sort().at(-1) as string;
