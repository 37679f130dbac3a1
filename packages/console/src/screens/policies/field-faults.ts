import { useCallback, useEffect, useState } from 'react';

type Tell = (path: string, fault: string | undefined) => void;

/** What is wrong with the first field of a form that must not be stored so, and the way for fields to tell. */
export function useFaults(): { fault: string | undefined; tell: Tell } {
  const [faults, setFaults] = useState<Readonly<Record<string, string | undefined>>>({});
  const tell = useCallback<Tell>((path, fault) => setFaults((before) => ({ ...before, [path]: fault })), []);
  return { fault: Object.values(faults).find((each) => each !== undefined), tell };
}

/** Tells a form what is wrong with a field, as long as it is there. */
export function useTold(tell: Tell | undefined, path: readonly string[], fault: string | undefined): void {
  const key = `${path}`;
  useEffect(() => {
    if (fault === undefined) return;
    tell?.(key, fault);
    return () => tell?.(key, undefined);
  }, [tell, key, fault]);
}
