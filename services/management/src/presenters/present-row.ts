import { type IdPrefix, toPublicId } from '@agp/core/ids';

/** A row with its times as text. */
type Presented<Row> = {
  [Name in keyof Row]: Row[Name] extends Date ? string : Row[Name] extends Date | null ? string | null : Row[Name];
};

const references: Record<string, IdPrefix> = { agent_id: 'agt', event_id: 'evt' };

/**
 * A row as the API shows it: times in ISO 8601, UUIDs as public ids, all else as stored. Queries name their columns as the
 * contract names its members.
 *
 * @param prefix of the column `id`; absent where that is no UUID
 */
export function presentRow<Row extends object>(row: Row, prefix?: IdPrefix): Presented<Row> {
  const present = (name: string, value: unknown) => {
    if (value instanceof Date) return value.toISOString();
    const reference = name === 'id' ? prefix : references[name];
    return reference !== undefined && typeof value === 'string' ? toPublicId(reference, value) : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, present(name, value)])) as Presented<Row>;
}
