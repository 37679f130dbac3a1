import { ApiError } from '@agp/core/errors';
import type { TextSearch } from '@agp/pii';
import { copyInSteps } from '@agp/runtime/bytes';
import { FairShares, type Holder } from '@agp/runtime/fairness';
import { createOffload, OffloadError } from '../text/offload.ts';
import { TextMemory } from '../text/text-memory.ts';
import { openSearch, type SearchMemory } from './redaction.ts';
import { type FoundInBytes, type SearchedBytes, searchBytes } from './search-bytes.ts';

/** What is searched in less time is searched where it is, which takes less than handing it to a worker, in milliseconds. */
const maxInlineMs = 5;
/** Bodies that a rule of data must see, from before they are read until they are searched: as many as a worker searches in ten seconds. */
const maxPromised = 64 * 1024 * 1024;
/** A body that takes longer cannot be searched, in milliseconds: less than half of what others wait for their turn. */
const longestMs = 7_000;
/** What a text takes on a slow machine, in milliseconds a byte; of what its own patterns may cost ordinary texts cost a part. */
const timeoutOf = (bytes: number, { nsPerUnit }: TextSearch): number =>
  Math.min(longestMs, 3_000 + (bytes * Math.max(2_500, nsPerUnit / 2)) / 1e6);

/** Searches bodies and whole answers for rules of data: each is searched, or refused. */
export interface BodySearcher {
  /** Before a body is read. @param bytes its size, or what is known of it @throws ApiError `share_used_up`, `proxy_overloaded` */
  promise(holder: Holder, bytes: number): SearchPlace;
  /** @param search of an answer @throws ApiError `proxy_overloaded` if its turn does not come */
  search(question: SearchedBytes, holder: Holder, search?: TextSearch): FoundInBytes | Promise<FoundInBytes>;
  stop(): Promise<void>;
}

export interface SearchPlace {
  /** @param bytes in all @throws as `promise` */
  grow(bytes: number): void;
  release(): void;
}

export function createBodySearcher(options: {
  largest: number;
  onWorkerError?: ((error: Error) => void) | undefined;
}): BodySearcher {
  const memory: SearchMemory = new TextMemory();
  const shares = new FairShares({ max: maxPromised, always: options.largest });
  const offload = createOffload<SearchedBytes, FoundInBytes>(new URL('./search-worker.ts', import.meta.url), {
    timeoutMs: longestMs,
    workers: 2,
    maxPending: 4_000,
    maxPendingBytes: 4 * maxPromised,
    *prepare(question) {
      const bytes = yield* copyInSteps(question.bytes);
      return { content: { ...question, bytes }, owned: [bytes.buffer] };
    },
    onWorkerError: options.onWorkerError,
  });
  return {
    promise(holder, bytes) {
      let held = 0;
      const grow = (all: number) => {
        if (all <= held) return;
        const full = shares.take(holder, all - held);
        if (full === 'agent')
          throw new ApiError('share_used_up', 'texts of this agent that must be searched fill its share');
        if (full !== null) throw new ApiError('proxy_overloaded');
        held = all;
      };
      grow(Math.max(1, bytes));
      return {
        grow,
        release() {
          shares.giveBack(holder, held);
          held = 0;
        },
      };
    },
    search(question, holder, given) {
      const search = given ?? openSearch(question.config, memory);
      const bytes = question.bytes.length;
      const known = question.config.values?.reduce((sum, { value }) => sum + value.length, 0) ?? 0;
      if ((bytes + known) * search.nsPerUnit <= maxInlineMs * 1e6) return searchBytes(question, memory, search);
      return offload.ask(question, bytes, holder, timeoutOf(bytes, search)).catch((error: unknown) => {
        const isSlow = error instanceof OffloadError && error.code === 'slow';
        if (!isSlow) throw new ApiError('proxy_overloaded');
        return { places: [], unsearched: 'what takes too long to search', isChangeable: false };
      });
    },
    stop: () => offload.stop(),
  };
}
