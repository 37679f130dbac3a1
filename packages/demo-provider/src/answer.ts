import type { Directives } from './directives.ts';

/** An answer of the simulated provider: one JSON document, other bytes, or the frames of a stream. */
export type Answer = { directives?: Directives } & (
  | { json: unknown }
  | { bytes: Buffer; type: string }
  | { frames: readonly string[]; type?: string; errorFrame: string }
);
