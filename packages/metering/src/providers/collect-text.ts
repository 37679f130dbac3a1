import type { Writing } from './operation.ts';
import type { Place } from './place-member.ts';
import { visitStrings } from './visit-strings.ts';

/** Longer texts are cut here: far beyond every model's context, and still cheap to hold for a moment. */
export const maxText = 4 * 1024 * 1024;

/**
 * The strings in parts of a request or answer, in order, without ids and files. Runs of base64 in a text are text: they are
 * billed as such. Cut at {@link maxText}. Pass many roots as one list, since a call's arguments are bounded.
 */
export function collectText(...roots: unknown[]): Writing {
  return collect(roots, 'text', false);
}

/** The same for JSON that a tool was given or returned: nothing is left out, and numbers count. */
export function collectToolText(value: unknown): Writing {
  return collect([value], 'free', true);
}

function collect(roots: readonly unknown[], place: Place, withUnread: boolean): Writing {
  const parts: string[] = [];
  let left = maxText;
  visitStrings(roots, place, (text, isRead) => {
    if (!isRead && !withUnread) return true;
    parts.push(text.slice(0, left));
    left -= text.length;
    return left >= 0;
  });
  return { parts, whole: left >= 0 };
}
