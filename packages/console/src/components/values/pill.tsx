import type { ReactNode } from 'react';
import type { Tone } from '../../format/describe-outcome.ts';

/** A word on a coloured ground. The word says it all: the colour only helps to find it. */
export function Pill({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className="pill" data-tone={tone} title={title}>
      {children}
    </span>
  );
}

const statusTones = { active: 'good', blocked: 'bad', retired: 'plain' } as const;

/** An agent's status. */
export function StatusPill({ status }: { status: keyof typeof statusTones }) {
  return <Pill tone={statusTones[status]}>{status}</Pill>;
}
