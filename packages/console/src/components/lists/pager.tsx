import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount } from '../../format/format-count.ts';
import { EmptyState } from '../empty-state.tsx';

interface Props {
  /** What is shown. */
  children: ReactNode;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** Such as `Newer` and `Older`. */
  words?: readonly [previous: string, next: string];
}

/** Ways to the pages before and after; one that leads nowhere is not shown. */
function Pager({ children, onPrevious, onNext, words: [previous, next] = ['Previous', 'Next'] }: Props) {
  const ways = [
    { word: previous, icon: { leftSection: <IconChevronLeft size={14} aria-hidden /> }, onTurn: onPrevious },
    { word: next, icon: { rightSection: <IconChevronRight size={14} aria-hidden /> }, onTurn: onNext },
  ];
  return (
    <nav className="pager" aria-label="Pages">
      <span className="dim">{children}</span>
      <span style={{ display: 'flex', gap: '0.5rem' }}>
        {ways.map(
          ({ word, icon, onTurn }) =>
            onTurn && (
              <Button key={word} size="xs" variant="default" {...icon} onClick={onTurn}>
                {word}
              </Button>
            ),
        )}
      </span>
    </nav>
  );
}

interface ByCursor extends Pick<Props, 'children'> {
  cursor: string | undefined;
  /** Of the next page; null where there is none. */
  next: string | null;
}

/** Of a list, newest first, that is read from a cursor on, which stands in the address; nothing where one page has all. */
export function CursorPager({ cursor, next, children }: ByCursor) {
  const { history } = useRouter();
  const navigate = useNavigate();
  if (next === null && cursor === undefined) return null;
  const turn = () => void navigate({ to: '.', search: ((before: object) => ({ ...before, cursor: next })) as never });
  return (
    <Pager
      words={['Newer', 'Older']}
      onPrevious={cursor === undefined ? undefined : () => history.back()}
      onNext={next === null ? undefined : turn}
    >
      {children}
    </Pager>
  );
}

interface Numbered extends Pick<Props, 'words'> {
  page: number;
  size: number;
  /** Rows that were read: one more than a page has tells of a next one. */
  count: number;
  /** What rows are. */
  nouns: string;
}

/** Goes to a page whose number stands in the address; the first one needs none. */
function useTurn(): (to: number) => () => void {
  const navigate = useNavigate();
  return (to) => () =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, page: to > 1 ? to : undefined })) as never,
    });
}

/** Of a list whose page number stands in the address. */
export function NumberedPager({ page, size, count, nouns, words }: Numbered) {
  const turn = useTurn();
  if (count === 0 || (page === 1 && count <= size)) return null;
  const first = (page - 1) * size;
  return (
    <Pager
      {...(words && { words })}
      onPrevious={page > 1 ? turn(page - 1) : undefined}
      onNext={count > size ? turn(page + 1) : undefined}
    >
      {nouns} {formatCount(first + 1)} to {formatCount(first + Math.min(count, size))}
    </Pager>
  );
}

/** Of a numbered page without rows: the list has become shorter, or the address was edited. */
export function PastTheEnd({ nouns }: { nouns: string }) {
  const turn = useTurn();
  return (
    <EmptyState
      title={`No ${nouns} on this page`}
      action={
        <Button variant="default" onClick={turn(1)}>
          First page
        </Button>
      }
    >
      The list ends before it.
    </EmptyState>
  );
}
