import { Fragment, type ReactNode } from 'react';

export type Field = readonly [name: ReactNode, value: ReactNode, key?: string];

/** Names and values, one below the other. A value that is null is a dash. */
export function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className="fields">
      {fields.map(([name, value, key], at) => (
        <Fragment key={key ?? (typeof name === 'string' ? name : at)}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="dim">–</span>}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
