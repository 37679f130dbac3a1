import {
  IconActivity,
  IconBan,
  IconCloud,
  IconCoin,
  IconFileCertificate,
  IconGauge,
  IconGavel,
  IconHome,
  IconKey,
  IconList,
  IconMessages,
  IconPlugConnected,
  IconRobot,
} from '@tabler/icons-react';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { useSession } from '../api/session-context.ts';

interface Place {
  to: NonNullable<LinkProps['to']>;
  name: string;
  icon: typeof IconHome;
  /** After `g`, it leads here. */
  letter: string;
  /** Only in the extended edition. */
  extended?: boolean;
}

/** Screens by what somebody wants to do. Alerts will be in the second group, evidence in the third. */
export const placeGroups: { title: string; places: Place[] }[] = [
  {
    title: 'Watch',
    places: [
      { to: '/', name: 'Now', letter: 'n', icon: IconHome },
      { to: '/live', name: 'Live', letter: 'l', icon: IconActivity },
      { to: '/events', name: 'Events', letter: 'e', icon: IconList },
      { to: '/refusals', name: 'Refusals', letter: 'r', icon: IconBan },
      { to: '/sessions', name: 'Sessions', letter: 's', icon: IconMessages, extended: true },
      { to: '/providers', name: 'Providers', letter: 'p', icon: IconCloud },
    ],
  },
  {
    title: 'Govern',
    places: [
      { to: '/agents', name: 'Agents', letter: 'a', icon: IconRobot },
      { to: '/policies', name: 'Policies', letter: 'y', icon: IconGavel },
      { to: '/budgets', name: 'Budgets', letter: 'b', icon: IconGauge },
      { to: '/costs', name: 'Costs', letter: 'c', icon: IconCoin },
    ],
  },
  { title: 'Prove', places: [{ to: '/audit', name: 'Audit log', letter: 'u', icon: IconFileCertificate }] },
  {
    title: 'Set up',
    places: [
      { to: '/start', name: 'Connect an agent', letter: 'o', icon: IconPlugConnected },
      { to: '/keys', name: 'Keys and tokens', letter: 'k', icon: IconKey },
    ],
  },
];

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== '/' && path.startsWith(`${to}/`));
}

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { edition } = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <div className="frame-nav">
      {placeGroups.map(({ title, places }) => (
        <div key={title} className="nav-group">
          <h2>{title}</h2>
          <ul>
            {places
              .filter(({ extended }) => !extended || edition === 'extended')
              .map(({ to, name, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className="nav-link"
                    onClick={onNavigate}
                    aria-current={isWithin(path, to) ? 'page' : undefined}
                  >
                    <Icon size={18} stroke={1.6} aria-hidden />
                    {name}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
