/** What `npm run secrets -- --kubernetes` makes: the keys of each Secret. */
export const secretKeys: Record<string, readonly string[]> = {
  'agp-proxy': ['database-url', 'nats-url', 'redis-url'],
  'agp-writer': ['database-url', 'nats-url', 'redis-url'],
  'agp-management': ['database-url', 'nats-url', 'redis-url', 'management-api-key'],
  'agp-migrator': ['database-url'],
  'agp-admin': [
    'database-url',
    'proxy-password',
    'writer-password',
    'management-password',
    'migrator-password',
    'grafana-password',
  ],
  'agp-operator': ['nats-url'],
  'agp-postgres': ['password'],
  'agp-nats': ['nats.conf'],
  'agp-redis': ['users.acl'],
  'agp-grafana': ['admin-password', 'database-password'],
};
