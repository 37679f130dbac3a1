import { Choice } from '../../components/lists/choice.tsx';

export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'For ever' },
] as const;

export type Lifetime = (typeof lifetimes)[number]['value'];

const dayMs = 86_400_000;

/** When something made now ends, ISO 8601; null for never. */
export function toExpiry(lifetime: Lifetime, now: number): string | null {
  return lifetime === 'never' ? null : new Date(now + Number(lifetime) * dayMs).toISOString();
}

/** How long a secret works. */
export function ExpiryChoice({ value, onChange }: { value: Lifetime; onChange: (value: Lifetime) => void }) {
  return <Choice label="Works for" options={lifetimes} value={value} onChange={(next) => onChange(next ?? value)} />;
}
