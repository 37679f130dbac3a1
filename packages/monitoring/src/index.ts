export * from './alerts/index.ts';
export * from './dashboards/index.ts';
export * from './generated-files.ts';
