export * from './explain-answer.ts';
export * from './explain-refusal.ts';
