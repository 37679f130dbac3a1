import type { ColumnType } from 'kysely';

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>;

export type Money = ColumnType<number, string, string>;

export type Json<Value> = ColumnType<Value | null, string | null | undefined, string | null>;
