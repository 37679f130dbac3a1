import { Link } from '@tanstack/react-router';
import { Pill } from './values.tsx';

const modeTones = { observe: 'plain', warn: 'warn', enforce: 'good' } as const;

export function PolicyMode({ mode }: { mode: keyof typeof modeTones }) {
  return <Pill tone={modeTones[mode]}>{mode}</Pill>;
}

/** In an address, in place of a policy's id or name; no name begins so. */
export const newPolicy = '_new';

/** A policy by its name, and its rule, with a link to it. */
export function DecidedBy({ policy, rule }: { policy: string; rule?: string | undefined }) {
  return (
    <>
      policy{' '}
      <Link to="/policies/$policyId" params={{ policyId: policy }}>
        {policy}
      </Link>
      {rule && `, rule ${rule}`}
    </>
  );
}
