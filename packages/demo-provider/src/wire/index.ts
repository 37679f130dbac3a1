export * from './anthropic-messages.ts';
export * from './gemini-content.ts';
export * from './openai-completions.ts';
export * from './openai-responses.ts';
export * from './wire-answer.ts';
