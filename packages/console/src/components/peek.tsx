import { ActionIcon, Drawer } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight, IconLayoutSidebarRightExpand } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useState } from 'react';

export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'));

interface IconProps {
  label: string;
  onClick: (() => void) | undefined;
  icon: typeof IconChevronLeft;
  /** By Tab; if not, a key does the same. */
  inOrder?: boolean;
}

function IconButton({ label, onClick, icon: Icon, inOrder = true }: IconProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      aria-label={label}
      title={label}
      disabled={onClick === undefined}
      onClick={onClick}
      tabIndex={inOrder ? undefined : -1}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}

interface PeekProps<Row> {
  /** Where the rows are drawn. */
  body: RefObject<HTMLTableSectionElement | null>;
  rows: readonly Row[];
  keys: readonly string[];
  /** The row's name, with a link to its page: the first that has the focus, so that Enter opens it. */
  title: ((row: Row) => ReactNode) | undefined;
  show: ((row: Row) => ReactNode) | undefined;
}

/**
 * Keys that walk through the rows of a list, by the first link of each, and a drawer beside the list that shows what a row leads to.
 * A row's key behind # in the address opens it too.
 * @returns the drawer, the row that it shows, and the button that opens it; nothing for a list whose rows show no more
 */
export function usePeek<Row>({ body, rows, keys, title, show }: PeekProps<Row>) {
  const [peeked, setPeeked] = useState<string>();
  const at = peeked === undefined ? -1 : keys.indexOf(peeked);
  const row = rows[at];
  const linkAt = (index: number) => body.current?.rows[index]?.querySelector<HTMLElement>('a, td:last-child button');
  const go = (index: number) => {
    const next = Math.max(0, Math.min(index, keys.length - 1));
    if (row !== undefined) setPeeked(keys[next]);
    else linkAt(next)?.focus();
    body.current?.rows[next]?.scrollIntoView({ block: 'nearest' });
  };
  const called = useLocation({ select: ({ hash }) => hash });
  const navigate = useNavigate();
  useEffect(() => {
    if (!show || !keys.includes(called)) return;
    setPeeked(called);
    void navigate({ to: '.', hash: '', search: true, replace: true });
  });
  const close = () => {
    setPeeked(undefined);
    linkAt(at)?.focus();
  };
  useWindowEvent('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (!show || ctrlKey || metaKey || altKey || event.defaultPrevented || isTyping(target)) return;
    if (row === undefined && document.querySelector('[role="dialog"]') !== null) return;
    const focused = [...(body.current?.rows ?? [])].findIndex((each) => each.contains(document.activeElement));
    const here = row === undefined ? focused : at;
    const inRow = focused !== -1;
    if (key === 'j' || (inRow && key === 'ArrowDown')) go(here + 1);
    else if (key === 'k' || (inRow && key === 'ArrowUp')) go(here === -1 ? 0 : here - 1);
    else if (key === ' ' && inRow && target === linkAt(here)) setPeeked(keys[here]);
    else return;
    event.preventDefault();
  });
  if (!show) return {};
  const drawer = (
    <Drawer
      opened={row !== undefined}
      onClose={close}
      position="right"
      size="36rem"
      withOverlay={false}
      lockScroll={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      className="peek no-print"
      title={
        row !== undefined && (
          <span className="named">
            {title?.(row)}
            <IconButton label="Previous (k)" icon={IconChevronLeft} onClick={at > 0 ? () => go(at - 1) : undefined} />
            <IconButton
              label="Next (j)"
              icon={IconChevronRight}
              onClick={at < keys.length - 1 ? () => go(at + 1) : undefined}
            />
          </span>
        )
      }
    >
      {row !== undefined && show(row)}
    </Drawer>
  );
  const button = (key: string) => (
    <IconButton
      label="Look without leaving the list (Space)"
      icon={IconLayoutSidebarRightExpand}
      onClick={() => setPeeked(key)}
      inOrder={false}
    />
  );
  return { drawer, peeked: row === undefined ? undefined : peeked, button };
}
