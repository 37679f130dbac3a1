import { countOf } from '@agp/core/explain';
import type { ChainCheck } from '@agp/core/lineage';
import { toLineText } from '@agp/core/text';
import { InvalidArgumentError } from 'commander';
import type { ApiAnswer } from './api.ts';
import { CliError, NothingLeft } from './cli-error.ts';
import type { Shell } from './shell.ts';

export const headOption = [
  '--head <hash>',
  'a hash that you noted earlier, which the chain must still have',
  parseHash,
] as const;

export interface HeadOption {
  head?: string;
}

function parseHash(text: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('It must be sha256: and 64 hex digits.');
  return text;
}

/** Adds to a check whether the chain still has the hash that the user noted. */
export function findLoss(
  check: ChainCheck,
  links: readonly { lineage_hash: string }[],
  { head: known }: HeadOption,
): ChainCheck {
  if (check.divergence !== null || known === undefined || links.some((link) => link.lineage_hash === known))
    return check;
  const reason =
    'the chain no longer has the hash that --head names: it was changed or cut, or is of an event that was removed';
  return { ...check, divergence: { seq: check.head.length, reason } };
}

interface Checked {
  /** What was checked, as a sentence begins with it. */
  name: string;
  check: ChainCheck;
  links: readonly { seq: number; id: string }[];
  /** How many links it has, in words. */
  count: string;
  /** Members of the verdict beside the usual ones. */
  more?: object;
  /** What is wrong beside the chain. */
  otherFault?: string | null;
}

/** Prints the verdict on a chain. @throws CliError if it is not as it was written */
export async function tellVerdict(shell: Shell, answer: ApiAnswer<unknown>, checked: Checked): Promise<void> {
  const { name, check, links, more, otherFault = null } = checked;
  const { divergence, head } = check;
  const valid = divergence === null && otherFault === null;
  const isGone = valid && links.length === 0 && head.length > 0;
  const verdict = {
    ...more,
    ...{ valid, length: head.length, head: head.hash, first_divergence: divergence?.seq ?? null },
  };
  if (shell.json || (valid && !isGone))
    await shell.show({ ...answer, data: verdict, text: JSON.stringify(verdict) }, (_, paint) =>
      [paint('green', `${toLineText(name)} is as it was written: ${checked.count}`), `head ${head.hash}`].join('\n'),
    );
  if (divergence !== null) {
    const id = links.find(({ seq }) => seq === divergence.seq)?.id;
    const place = `seq ${divergence.seq}${id === undefined ? '' : ` (${id})`}`;
    throw new CliError(`${name} diverges at ${place}: ${divergence.reason}`);
  }
  if (otherFault !== null) throw new CliError(otherFault);
  if (!isGone) return;
  const count = countOf(head.length, 'event');
  const age = head.length === 1 ? 'was removed for its age' : 'were removed for their age';
  throw new NothingLeft(`nothing is left of ${name} but its last hash: its ${count} ${age}; head ${head.hash}`);
}
