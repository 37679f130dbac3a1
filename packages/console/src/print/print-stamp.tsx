import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatFullTime, formatUtc } from '../format/format-time.ts';
import { useSession } from '../session/session-context.ts';

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
