import type { Status } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { Pill } from '../../components/values/pill.tsx';
import type { Tone } from '../../format/describe-outcome.ts';

const tones: Record<string, Tone> = { ready: 'good', not_ready: 'bad', unknown: 'plain' };

/** What runs and what does not. */
export function Services({ services }: { services: Status['services'] }) {
  if (!services) return null;
  return (
    <Card title="Services">
      <ul className="grid" style={{ margin: 0, padding: 0, listStyle: 'none', ['--least' as string]: '14rem' }}>
        {services.map(({ name, state, detail }) => (
          <li key={name}>
            <span style={{ display: 'flex', gap: '0.5rem', alignItems: 'center' }}>
              <strong style={{ textTransform: 'capitalize' }}>{name === 'nats' ? 'NATS' : name}</strong>
              <Pill tone={tones[state] ?? 'plain'}>{state.replace('_', ' ')}</Pill>
            </span>
            <span className="small dim">{detail}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
