import type { Tone } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect, useId } from 'react';
import type { OfInstallation } from '../api/permissions.ts';
import { useView } from '../api/session.ts';
import { EmptyState } from './feedback.tsx';

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

interface BannerProps {
  /** How it is to be looked at; without one it is bad. */
  tone?: Tone;
  role?: 'status' | 'alert';
  children: ReactNode;
}

/** A sentence or two that should not be overlooked. */
export function Banner({ tone, role, children }: BannerProps) {
  return (
    <div className="banner" data-tone={tone} role={role}>
      <div>{children}</div>
    </div>
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

/** What is of the whole installation; to a team's session, that it is. */
export function Whole({ needs, children }: { needs: OfInstallation | undefined; children: ReactNode }) {
  const view = useView();
  if (view === null || needs === undefined) return children;
  return (
    <Card>
      <EmptyState title="This is of the whole installation">Your view is {view}.</EmptyState>
    </Card>
  );
}

interface ViewsProps<Name extends string> {
  label: string;
  /** Each with what it is called and what it shows. */
  views: Readonly<Record<Name, readonly [title: string, View: ComponentType, needs?: OfInstallation]>>;
  /** The first if it is not given: then the address names none. */
  view: Name | undefined;
}

/** Views of one screen, each with an address of its own. */
export function Views<Name extends string>({ label, views, view }: ViewsProps<Name>) {
  const isWhole = useView() === null;
  const names = (Object.keys(views) as Name[]).filter((name) => isWhole || views[name][2] === undefined);
  const [, View, needs] = views[view ?? (names[0] as Name)];
  return (
    <>
      <nav className="tabs no-print" aria-label={label}>
        {names.map((name, at) => (
          <Link
            key={name}
            to="."
            search={((before: object) => ({ ...before, view: at === 0 ? undefined : name })) as never}
            // All of the address is the page's: the first view's is a part of the others'.
            activeOptions={{ exact: true }}
          >
            {views[name][0]}
          </Link>
        ))}
      </nav>
      <Whole needs={needs}>
        <View />
      </Whole>
    </>
  );
}

/** The product's sign and name. @param short without the name on narrow screens */
export function Brand({ short = false }: { short?: boolean }) {
  return (
    <span className="brand">
      <IconShieldCheck size={22} aria-hidden color="var(--accent)" />
      <span className={short ? 'hide-narrow' : undefined}>Agent Governance Proxy</span>
    </span>
  );
}
