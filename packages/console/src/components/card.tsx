import { type ReactNode, useId } from 'react';

interface Props {
  title?: ReactNode;
  /** At the right of the title. */
  aside?: ReactNode;
  /** Without room around what is inside: for tables. */
  flush?: boolean;
  children: ReactNode;
}

/** A part of a screen, with a heading. */
export function Card({ title, aside, flush = false, children }: Props) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={title ? id : undefined}>
      {title && (
        <div className="card-head">
          <h2 id={id}>{title}</h2>
          {aside}
        </div>
      )}
      <div className={flush ? undefined : 'card-body'}>{children}</div>
    </section>
  );
}

/** One figure with what it is. */
export function Stat({ name, figure, children }: { name: ReactNode; figure: ReactNode; children?: ReactNode }) {
  return (
    <dl className="card stat" style={{ margin: 0 }}>
      <dt>{name}</dt>
      <dd>
        <div className="figure">{figure}</div>
        {children}
      </dd>
    </dl>
  );
}
