import { untilFrame } from './conversation.ts';

/** A refusal by status. */
export const refusal = JSON.stringify({
  error: { message: 'Slow down.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
});

const broken = { message: 'The server had an error.', type: 'server_error', param: null, code: null };

/** A stream that has come to the fourth piece of its text. */
export const upToFour = (wire: string) => untilFrame(wire, 'example.com');

/** The same, and then the provider's error. */
export const withError = (wire: string) => `${upToFour(wire)}data: ${JSON.stringify({ error: broken })}\n\n`;
