import type { ReactNode } from 'react';

/** Links to views of one screen: each has an address of its own. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tabs no-print" aria-label={label}>
      {children}
    </nav>
  );
}
