import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { formatCount } from '../../format/format-count.ts';

/** Says that there is more, and shows it when asked: rows never move by themselves. */
export function NewPill({ count, onShow, noun = 'event' }: { count: number; onShow: () => void; noun?: string }) {
  return (
    <div role="status" className="new-pill no-print">
      {count > 0 && (
        <Button size="compact-sm" radius="xl" leftSection={<IconArrowUp size={14} aria-hidden />} onClick={onShow}>
          {formatCount(count)} new {count === 1 ? noun : `${noun}s`}
        </Button>
      )}
    </div>
  );
}
