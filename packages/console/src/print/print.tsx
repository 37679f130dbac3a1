import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useSession } from '../api/session-context.ts';
import { formatFullTime, formatUtc } from '../format/format.ts';

/** What a printed list was narrowed to, in the words of its address, such as `model "gpt-4o", from "7d"`. */
export const describeFilter = (filter: object): string =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ');

/** Prints the screen as it is: what is shortened or hidden on it is whole on paper. */
export function PrintButton() {
  return (
    <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      Print
    </Button>
  );
}

/** On paper: when, by whom and from where it was printed. @param children what was left out */
export function PrintStamp({ children }: { children?: ReactNode }) {
  const { name } = useSession();
  const [at, setAt] = useState(() => new Date().toISOString());
  useEffect(() => {
    // The browser takes the page as it is when this returns.
    const stamp = () => flushSync(() => setAt(new Date().toISOString()));
    window.addEventListener('beforeprint', stamp);
    return () => window.removeEventListener('beforeprint', stamp);
  }, []);
  return (
    <p className="only-print small" data-testid="printed">
      Printed {formatFullTime(at)} ({formatUtc(at)}) by {name} from {window.location.host}
      {children}
    </p>
  );
}
