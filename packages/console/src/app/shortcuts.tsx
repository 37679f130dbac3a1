import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Fields } from '../components/values.tsx';
import { usePlaces } from './screens.ts';

/** How long after `g` a letter still leads to a screen, in milliseconds. */
const patienceMs = 1_500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'));

/** Keys that lead to the screen's search, to a screen, and to a list of all of them. */
export function Shortcuts() {
  const [opened, setOpened] = useState(false);
  const navigate = useNavigate();
  const { places } = usePlaces();
  const goUntil = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      // A dialog may hold what is shown once.
      if (document.querySelector('[role="dialog"]') !== null) return;
      const isGoing = event.timeStamp < goUntil.current;
      goUntil.current = 0;
      const place = isGoing ? places.find(({ letter }) => letter === event.key) : undefined;
      if (place !== undefined) void navigate({ to: place.to });
      else if (event.key === 'g') goUntil.current = event.timeStamp + patienceMs;
      else if (event.key === '?') setOpened(true);
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('#main input[type="search"]');
        if (field === null) return;
        event.preventDefault();
        field.focus();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  const ways = places.map(({ letter, name }) => [`g ${letter}`, name]);
  const fields = {
    '/': 'Search on this screen',
    'Ctrl K': 'Find anything',
    ...Object.fromEntries(ways),
    '?': 'These keys',
  };
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      title="Keys"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Fields fields={fields} />
    </Modal>
  );
}
