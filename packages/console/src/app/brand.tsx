import { IconShieldCheck } from '@tabler/icons-react';

/** The product's sign and name. @param short without the name on narrow screens */
export function Brand({ short = false }: { short?: boolean }) {
  return (
    <span className="brand">
      <IconShieldCheck size={22} aria-hidden color="var(--accent)" />
      <span className={short ? 'hide-narrow' : undefined}>Agent Governance Proxy</span>
    </span>
  );
}
