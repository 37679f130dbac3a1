import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  /** What is shown. */
  children: ReactNode;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** Such as `Newer` and `Older`. */
  words?: readonly [previous: string, next: string];
}

/** Ways to the pages before and after; one that leads nowhere is not shown. */
export function Pager({ children, onPrevious, onNext, words: [previous, next] = ['Previous', 'Next'] }: Props) {
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
