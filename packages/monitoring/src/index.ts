export * from './alerts/index.ts';
export * from './dashboards/index.ts';
export * from './generated-files.ts';
export * from './render-alerts.ts';
export * from './render-prometheus-config.ts';
export * from './runbook-page.ts';
