import { parentPort } from 'node:worker_threads';
import {
  findPatternFault,
  type PatternFault,
  type Policy,
  type TriedText,
  type TryRequest,
  tryText,
} from '@agp/policy';

/** Policies whose own patterns are tried, and a text that they are searched for in. */
export type Tries =
  | { policies: readonly Policy[]; beside?: readonly Policy[]; most?: number; text?: undefined }
  | TryRequest;

export type Tried = { fault: PatternFault; policy: number } | { fault: null; tried: TriedText | null };

function tryAll(tries: Tries): Tried {
  const { beside, most } = tries.text === undefined ? tries : {};
  for (const [policy, each] of tries.policies.entries()) {
    const fault = findPatternFault(each, beside, most);
    if (fault !== null) return { fault, policy };
  }
  return { fault: null, tried: tries.text === undefined ? null : tryText(tries) };
}

parentPort?.on('message', (tries: Tries) => parentPort?.postMessage(tryAll(tries)));
// Its start takes long on a busy machine, and is no time of the patterns.
parentPort?.postMessage('ready');
