import { apiQuery } from './api-query.ts';

/** Everything at a glance, every three seconds: for the header and for the first screen. */
export const statusQuery = { ...apiQuery('/api/v1/status'), refetchInterval: 3_000 };
