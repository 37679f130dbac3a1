export * from './answer-canned.ts';
export * from './answer-conversation.ts';
export * from './answer-fault.ts';
export * from './canned-answer.ts';
export * from './fake-provider.ts';
export * from './replies.ts';
export * from './start-aimock.ts';
