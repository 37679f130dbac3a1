/** A contract's object as Postgres gives it: `Times` are dates, all other members are columns of the same name. */
export type RowOf<Shown, Times extends keyof Shown> = Omit<Shown, Times> & {
  [Name in Times]: null extends Shown[Name] ? Date | null : Date;
};
