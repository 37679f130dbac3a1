import { type ReactNode, useEffect } from 'react';

interface Props {
  title: ReactNode;
  /** For the browser's tab, where the title is no plain text. */
  name?: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every screen: its name, what can be done, and what it shows. */
export function Screen({ title, name, about, actions, children }: Props) {
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
