export * from './anthropic.ts';
export * from './bedrock.ts';
export * from './gemini.ts';
export * from './openai.ts';
export * from './wire-answer.ts';
