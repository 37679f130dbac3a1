import { useNavigate } from '@tanstack/react-router';
import { defaultWindow, type Window } from '../search/screen-searches.ts';
import { Choice } from './filters.tsx';

const options = [
  { value: '1h', label: 'Last hour' },
  { value: 'today', label: 'Today (UTC)' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
] as const;

/** The window that all of a screen is about; it stands in the address. */
export function WindowChoice({ value }: { value: Window }) {
  const navigate = useNavigate();
  const choose = (from: Window | undefined) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, from: from === defaultWindow ? undefined : from })) as never,
      replace: true,
    });
  return <Choice label="Time" options={options} value={value} onChange={choose} />;
}
