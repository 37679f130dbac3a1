import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId } from 'react';

interface CardProps {
  title?: ReactNode;
  /** At the right of the title. */
  aside?: ReactNode;
  /** Without room around what is inside: for tables. */
  flush?: boolean;
  children: ReactNode;
}

export function Card({ title, aside, flush = false, children }: CardProps) {
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

export function ConnectButton() {
  return <Button renderRoot={(props) => <Link to="/start" {...props} />}>Connect an agent</Button>;
}

interface ScreenProps {
  title: ReactNode;
  /** For the browser's tab, if the title is no plain text. */
  name?: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every screen: its name, what can be done, and what it shows. */
export function Screen({ title, name, about, actions, children }: ScreenProps) {
  const tab = name ?? (typeof title === 'string' ? title : '');
  useEffect(() => {
    document.title = `${tab} · Agent Governance Proxy`;
  }, [tab]);
  return (
    <div className="screen">
      <header className="screen-head">
        <div>
          <h1>{title}</h1>
          {about && <p className="dim small">{about}</p>}
        </div>
        {actions && <div className="filters no-print">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Links to views of one screen: each has an address of its own. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tabs no-print" aria-label={label}>
      {children}
    </nav>
  );
}

/** A tab is current only if all of its address is the page's: the first view's address is a part of the others'. */
export const wholly = { exact: true } as const;

/** The product's sign and name. @param short without the name on narrow screens */
export function Brand({ short = false }: { short?: boolean }) {
  return (
    <span className="brand">
      <IconShieldCheck size={22} aria-hidden color="var(--accent)" />
      <span className={short ? 'hide-narrow' : undefined}>Agent Governance Proxy</span>
    </span>
  );
}
