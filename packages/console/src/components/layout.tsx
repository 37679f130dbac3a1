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

/** A part of a screen, with a heading. */
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

/** The way to a first agent, where a list is empty. */
export function ConnectButton() {
  return <Button renderRoot={(props) => <Link to="/start" {...props} />}>Connect an agent</Button>;
}

interface ScreenProps {
  title: ReactNode;
  /** For the browser's tab, where the title is no plain text. */
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

/**
 * When a link among tabs is the current one, for the router, which sets `aria-current`: where all of its address is the page's, or the first
 * of several views, which adds nothing to the address, would be current beside each other.
 */
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
