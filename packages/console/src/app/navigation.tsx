import { Link, useLocation } from '@tanstack/react-router';
import { usePlaces } from './screens.ts';

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== '/' && path.startsWith(`${to}/`));
}

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { places, groups } = usePlaces();
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <div className="frame-nav">
      {groups.map((title) => (
        <div key={title} className="nav-group">
          <h2>{title}</h2>
          <ul>
            {places
              .filter(({ group }) => group === title)
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
