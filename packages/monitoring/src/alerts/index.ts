import type { Alert } from './alert.ts';
import { managementAlerts } from './management-alerts.ts';
import { proxyAlerts } from './proxy-alerts.ts';
import { writerAlerts } from './writer-alerts.ts';

export type { Alert, Severity } from './alert.ts';

/** By the service whose metrics they use. */
export const alertGroups: Record<string, Alert[]> = {
  'agp-proxy': proxyAlerts,
  'agp-writer': writerAlerts,
  'agp-management': managementAlerts,
};

export const alerts: Alert[] = Object.values(alertGroups).flat();
