import { billedProviders, type ReadBill } from '@agp/core/contracts';
import { type Db, listBillReads } from '@agp/db';
import { toVariable } from '@agp/runtime';
import { billingSettings, type ManagementConfig } from '@agp/settings';
import { presentRow } from '../presenters.ts';

/** Of each provider whether its bill is read, when that was last and why it failed, if it did. */
export async function listBills(db: Db, config: ManagementConfig): Promise<ReadBill[]> {
  const reads = new Map((await listBillReads(db)).map((row) => [row.provider, row]));
  return billedProviders.map((provider) => {
    const { key } = billingSettings[provider];
    const { read_at = null, tried_at = null, error = null } = reads.get(provider) ?? {};
    return {
      ...{ provider, setting: toVariable(key), is_set: config[key] !== undefined },
      ...presentRow({ read_at, tried_at, error }),
    };
  });
}
