export * from './bar-gauge-panel.ts';
export * from './query.ts';
export * from './stat-panel.ts';
export * from './table-panel.ts';
export * from './time-panel.ts';
