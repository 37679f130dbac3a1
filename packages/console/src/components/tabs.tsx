import type { ReactNode } from 'react';

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
