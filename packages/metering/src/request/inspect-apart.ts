import { ApiError, type ErrorCode } from '@agp/core/errors';
import { copyInSteps } from '@agp/runtime/bytes';
import type { Holder } from '@agp/runtime/fairness';
import type { CallHead } from '../call-head.ts';
import type { CallMetadata, Operation } from '../dialects/operation.ts';
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

interface Sent {
  asked: CallPath;
  bytes: Uint8Array;
}

interface ToRead extends Sent {
  query: string;
  provider: Omit<ReadProvider, 'baseUrl'> & { baseUrl: string };
  form: Omit<BodyForm, 'decoded'> & { decoded: Uint8Array | null };
  needs: Needs;
}

type Own = Parameters<CallMetadata['write']>[1];

interface ToWrite extends Sent {
  /** What goes into its metadata. */
  own: Own;
}

type Question = ToRead | ToWrite;

type Answer =
  | { body: Uint8Array }
  | { read: Omit<ReadOfBody, 'bytes' | 'form' | 'toProvider'>; toProvider: Uint8Array | null }
  | { code: ErrorCode; message: string };

const toBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** The worker's side. */
export function answerQuestion(question: Question): Answer {
  const { api, method, path } = question.asked;
  const operation = matchOperation(api, method, path) as Operation;
  try {
    if ('needs' in question) return read(operation, question);
    const { body } = (operation.metadata as CallMetadata).write(
      { headers: {}, body: toBuffer(question.bytes) },
      question.own,
    );
    return { body };
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
}

function read(operation: Operation, { asked, query, provider, bytes, form, needs }: ToRead): Answer {
  const head = { path: asked.path, query, provider: { ...provider, baseUrl: new URL(provider.baseUrl) } };
  const decoded = form.decoded && toBuffer(form.decoded);
  const {
    bytes: _,
    form: __,
    toProvider,
    ...own
  } = readBody(operation, head, toBuffer(bytes), { ...form, decoded }, needs);
  return { read: own, toProvider: own.usageAsked ? toProvider : null };
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
  /** A body with names of ours in its metadata. @throws ApiError as `CallMetadata.write`, `proxy_overloaded` if its turn does not come */
  write(
    operation: Operation,
    head: Pick<CallHead, 'method' | 'path'>,
    body: Buffer,
    own: Own,
    holder: Holder,
  ): Promise<Buffer>;
  stop(): Promise<void>;
}

export function createBodyInspector(onWorkerError?: (error: Error) => void): BodyInspector {
  const offload = createOffload<Question, Answer>(new URL('./inspect-worker.ts', import.meta.url), {
    ...{ timeoutMs, maxPending, maxPendingBytes, onWorkerError },
    *prepare(question) {
      if (!('form' in question)) {
        const bytes = yield* copyInSteps(question.bytes);
        return { content: { ...question, bytes }, owned: [bytes.buffer] };
      }
      const { form } = question;
      const decoded = form.decoded && (yield* copyInSteps(form.decoded));
      // What was packed is read by what it holds.
      const bytes = yield* copyInSteps(decoded === null ? question.bytes : question.bytes.subarray(0, 0));
      const content = { ...question, bytes, form: { ...form, decoded } };
      return { content, owned: [bytes.buffer, ...(decoded === null ? [] : [decoded.buffer])] };
    },
  });
  const ask = async (question: Question, size: number, holder: Holder) => {
    const answer = await offload.ask(question, size, holder).catch(() => {
      throw new ApiError('proxy_overloaded');
    });
    if ('code' in answer) throw new ApiError(answer.code, answer.message);
    return answer;
  };
  return {
    async write(operation, { method, path }, body, own, holder) {
      const asked = { api: operation.api, method, path };
      const answer = (await ask({ asked, bytes: body, own }, body.length, holder)) as { body: Uint8Array };
      return toBuffer(answer.body);
    },
    async inspect(operation, { provider, method, path, query }, bytes, form, needs, holder) {
      const { baseUrl, asksForUsage, harmlessMembers } = provider;
      const question: ToRead = {
        asked: { api: operation.api, method, path },
        ...{ query, needs, bytes },
        provider: { baseUrl: baseUrl.href, asksForUsage, harmlessMembers },
        form: { ...form, decoded: form.decoded ?? null },
      };
      const answer = (await ask(question, (form.decoded ?? bytes).length, holder)) as Extract<Answer, { read: object }>;
      const toProvider = answer.toProvider === null ? bytes : toBuffer(answer.toProvider);
      return openRead(operation, { ...answer.read, bytes: form.decoded ?? bytes, form, toProvider });
    },
    stop: () => offload.stop(),
  };
}
