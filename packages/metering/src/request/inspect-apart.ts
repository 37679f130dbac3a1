import { ApiError, type ErrorCode } from '@agp/core/errors';
import { copyInSteps } from '@agp/runtime/bytes';
import type { Holder } from '@agp/runtime/fairness';
import type { CallHead } from '../call-head.ts';
import type { Operation } from '../dialects/operation.ts';
import { matchOperation } from '../match-operation.ts';
import { createOffload } from '../text/offload.ts';
import type { CallPath } from '../text-source.ts';
import {
  type BodyForm,
  type InspectedBody,
  type Needs,
  openRead,
  type ReadOfBody,
  type ReadProvider,
  readBody,
} from './inspect-body.ts';

/** A longer body is read in a worker: to parse it takes so long that everybody else would wait. */
export const largeBody = 4 * 1024 * 1024;

/** A body that takes longer is refused, in milliseconds. */
const timeoutMs = 10_000;
const maxPending = 400;
/** `MAX_BUFFERED_BYTES` bounds what waits. */
const maxPendingBytes = Number.POSITIVE_INFINITY;

interface Question {
  asked: CallPath;
  query: string;
  provider: Omit<ReadProvider, 'baseUrl'> & { baseUrl: string };
  bytes: Uint8Array;
  form: Omit<BodyForm, 'decoded'> & { decoded: Uint8Array | null };
  needs: Needs;
}

type Answer =
  | { read: Omit<ReadOfBody, 'bytes' | 'form' | 'toProvider'>; toProvider: Uint8Array | null }
  | { code: ErrorCode; message: string };

const toBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** The worker's side. */
export function answerQuestion({ asked, query, provider, bytes, form, needs }: Question): Answer {
  const operation = matchOperation(asked.api, asked.method, asked.path) as Operation;
  const head = { path: asked.path, query, provider: { ...provider, baseUrl: new URL(provider.baseUrl) } };
  const decoded = form.decoded && toBuffer(form.decoded);
  try {
    const {
      bytes: _,
      form: __,
      toProvider,
      ...read
    } = readBody(operation, head, toBuffer(bytes), { ...form, decoded }, needs);
    return { read, toProvider: read.usageAsked ? toProvider : null };
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
}

/** Reads large bodies, one after the other, while others are served. */
export interface BodyInspector {
  /** @throws ApiError as `inspectBody`, `proxy_overloaded` if its turn does not come */
  inspect(
    operation: Operation,
    head: CallHead,
    bytes: Buffer,
    form: BodyForm,
    needs: Needs,
    holder: Holder,
  ): Promise<InspectedBody>;
  stop(): Promise<void>;
}

export function createBodyInspector(onWorkerError?: (error: Error) => void): BodyInspector {
  const offload = createOffload<Question, Answer>(new URL('./inspect-worker.ts', import.meta.url), {
    ...{ timeoutMs, maxPending, maxPendingBytes, onWorkerError },
    *prepare({ form, ...question }) {
      const decoded = form.decoded && (yield* copyInSteps(form.decoded));
      // What was packed is read by what it holds.
      const bytes = yield* copyInSteps(decoded === null ? question.bytes : question.bytes.subarray(0, 0));
      const content = { ...question, bytes, form: { ...form, decoded } };
      return { content, owned: [bytes.buffer, ...(decoded === null ? [] : [decoded.buffer])] };
    },
  });
  return {
    async inspect(operation, { provider, method, path, query }, bytes, form, needs, holder) {
      const { baseUrl, asksForUsage, harmlessMembers } = provider;
      const question: Question = {
        asked: { api: operation.api, method, path },
        ...{ query, needs, bytes },
        provider: { baseUrl: baseUrl.href, asksForUsage, harmlessMembers },
        form: { ...form, decoded: form.decoded ?? null },
      };
      const answer = await offload.ask(question, (form.decoded ?? bytes).length, holder).catch(() => {
        throw new ApiError('proxy_overloaded');
      });
      if ('code' in answer) throw new ApiError(answer.code, answer.message);
      const toProvider = answer.toProvider === null ? bytes : toBuffer(answer.toProvider);
      return openRead(operation, { ...answer.read, bytes: form.decoded ?? bytes, form, toProvider });
    },
    stop: () => offload.stop(),
  };
}
