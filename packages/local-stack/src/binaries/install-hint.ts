import { isExecutable } from './server-binary.ts';

const packages = {
  postgres: { brew: 'postgresql@17', apt: 'postgresql', dnf: 'postgresql-server' },
  nats: { brew: 'nats-server', apt: 'nats-server', dnf: 'nats-server' },
  redis: { brew: 'redis', apt: 'redis-server', dnf: 'redis' },
  prometheus: { brew: 'prometheus', apt: 'prometheus', dnf: 'prometheus' },
  promtool: { brew: 'prometheus', apt: 'prometheus', dnf: 'prometheus' },
};

export type ServerName = keyof typeof packages;

/** A line that says how to install a server on this platform. */
export function writeInstallHint(name: ServerName): string {
  const { brew, apt, dnf } = packages[name];
  const variables: Partial<Record<ServerName, string>> = {
    postgres: 'DATABASE_URL',
    nats: 'NATS_URL',
    redis: 'REDIS_URL',
  };
  const variable = variables[name];
  const otherwise = variable === undefined ? 'and run this again' : `or set ${variable} to a server that you run`;
  if (process.platform === 'darwin') return `Install it with "brew install ${brew}", ${otherwise}.`;
  if (isExecutable('/usr/bin/apt-get')) return `Install it with "sudo apt-get install ${apt}", ${otherwise}.`;
  // Fedora has no package of the NATS server.
  if (isExecutable('/usr/bin/dnf') && name !== 'nats')
    return `Install it with "sudo dnf install ${dnf}", ${otherwise}.`;
  return `Install ${name === 'nats' ? 'nats-server (https://nats.io/download)' : name}, put it on the PATH, ${otherwise}.`;
}
