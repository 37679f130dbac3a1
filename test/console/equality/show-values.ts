import type { AgentBudget } from '@agp/core/contracts';
import { formatShare, formatUsd, formatUtc } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { expect } from 'vitest';
import {
  formatFullTime,
  formatLocalTime,
  formatMinute,
  roundUsd,
} from '../../../packages/console/src/format/format.ts';

/** The zone of the browser that shows them. */
export const zone = 'UTC';

/** Values as `readShown` reads them: what stands behind a text on hover is in braces. */
export const money = (usd: number) => `${roundUsd(usd)} {${`${formatUsd(usd)} USD`}}`;
/** Calls of the demo cost nothing only if their model has no price. */
export const cost = (usd: number, tokens: number, unpriced = 0) =>
  usd === 0 && tokens > 0
    ? (expect.stringMatching(/^no price/) as string)
    : (expect.stringMatching(
        new RegExp(`^${RegExp.escape(money(usd))}${unpriced > 0 ? ` ?\\+ ${unpriced} without price .*` : ''}$`),
      ) as string);
/** A name that may be long. */
export const named = (name: string) => `${name} {${name}}`;
export const agentLink = ({ agent_name }: { agent_id: string; agent_name?: string | null | undefined }) =>
  named(agent_name ?? '');
export const shortId = (id: string, ends?: number) => `${shortenId(id, ends)} {${id}}`;

const onHover = (at: string) => `{${formatUtc(at)} ${formatFullTime(at, zone)}}`;
export const time = (at: string) => `${formatLocalTime(at, Date.now(), zone)} ${onHover(at)}`;
export const minute = (at: string) => `${formatMinute(at, Date.now(), zone)} ${onHover(at)}`;
/** How long ago changes by itself: the time behind it is what counts. */
export const ago = (at: string | null | undefined) => (at ? `ago ${onHover(at)}` : 'never');
export const orDash = (text: string | null) => text ?? '–';

interface Cap extends Pick<AgentBudget, 'spent_usd' | 'reserved_usd'> {
  daily_cap_usd: number | null;
  warn_only?: boolean | undefined;
}

const capText = ({ spent_usd, daily_cap_usd, warn_only }: Cap) =>
  `${roundUsd(spent_usd)} of ${roundUsd(daily_cap_usd ?? 0)}${warn_only ? ' (warns only)' : ''}`;
const share = ({ spent_usd, daily_cap_usd }: Cap) => Math.min(1, spent_usd / (daily_cap_usd ?? 1));

/** A bar of a cap: its text for those who do not see it, and its width. */
const bar = (cap: Cap) => `${capText(cap)} ${Math.round(100 * share(cap))}%`;
const used = ({ spent_usd, daily_cap_usd }: Cap) => formatShare(spent_usd / (daily_cap_usd ?? 1));
/** With its share beside it. */
export const capBar = (cap: Cap) => (cap.daily_cap_usd === null ? 'no cap' : `${bar(cap)}${used(cap)}`);
/** With the line of text below it. */
export const capBarWithText = (cap: Cap) =>
  cap.daily_cap_usd === null ? 'no cap' : `${bar(cap)} ${capText(cap)} · ${used(cap)}`;
