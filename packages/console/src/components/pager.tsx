import { countOf, formatCount } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { IconArrowUp, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface PagerProps {
  /** What is shown. */
  children: ReactNode;
  /** Such as `Newer` and `Older`. */
  words: readonly [previous: string, next: string];
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

function Pager({ children, onPrevious, onNext, words: [previous, next] }: PagerProps) {
  return (
    <nav className="pager" aria-label="Pages">
      <span className="dim">{children}</span>
      <span style={{ display: 'flex', gap: '0.5rem' }}>
        {onPrevious && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconChevronLeft size={14} aria-hidden />}
            onClick={onPrevious}
          >
            {previous}
          </Button>
        )}
        {onNext && (
          <Button
            size="xs"
            variant="default"
            rightSection={<IconChevronRight size={14} aria-hidden />}
            onClick={onNext}
          >
            {next}
          </Button>
        )}
      </span>
    </nav>
  );
}

/** Turns to a page by what is to stand in the address; the first page's number does not. */
export function useTurn() {
  const navigate = useNavigate();
  return (next: { page?: number; cursor?: string }) => () =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, ...next, ...(next.page === 1 && { page: undefined }) })) as never,
    });
}

interface ByCursor {
  children: ReactNode;
  cursor: string | undefined;
  /** The next page's cursor; null if there is none. */
  next: string | null;
}

/** Turns the pages of a list, newest first, that is read from a cursor in the address on; draws nothing if one page has all. */
export function CursorPager({ cursor, next, children }: ByCursor) {
  const { history } = useRouter();
  const turn = useTurn();
  if (next === null && cursor === undefined) return null;
  return (
    <Pager
      words={['Newer', 'Older']}
      onPrevious={cursor === undefined ? undefined : () => history.back()}
      onNext={next === null ? undefined : turn({ cursor: next })}
    >
      {children}
    </Pager>
  );
}

interface Numbered {
  page: number;
  size: number;
  /** Rows that were read: one more than a page has tells of a next one. */
  count: number;
  /** What rows are, such as `agents`. */
  nouns: string;
  words?: PagerProps['words'];
}

/** Turns the pages of a list whose page number stands in the address. */
export function NumberedPager({ page, size, count, nouns, words = ['Previous', 'Next'] }: Numbered) {
  const turn = useTurn();
  if (count === 0 || (page === 1 && count <= size)) return null;
  const first = (page - 1) * size;
  return (
    <Pager
      words={words}
      onPrevious={page > 1 ? turn({ page: page - 1 }) : undefined}
      onNext={count > size ? turn({ page: page + 1 }) : undefined}
    >
      {nouns[0]?.toUpperCase()}
      {nouns.slice(1)} {formatCount(first + 1)} to {formatCount(first + Math.min(count, size))}
    </Pager>
  );
}

/** Says that there is more, and shows it when asked: rows never move by themselves. */
export function NewPill({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div role="status" className="new-pill no-print">
      {count > 0 && (
        <Button size="compact-sm" radius="xl" leftSection={<IconArrowUp size={14} aria-hidden />} onClick={onShow}>
          {countOf(count, 'new event')}
        </Button>
      )}
    </div>
  );
}

export const pageSize = 50;

/** What a numbered page asks the API for: one row more than is shown tells if there is a next page. */
export const pageQuery = (page = 1) => ({ limit: pageSize + 1, offset: (page - 1) * pageSize });
