export const labelName = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,62}[A-Za-z0-9])?$/;
export const labelValue = /^(?! )[^\p{C}]{1,1024}(?<! )$/u;
export const maxLabels = 64;

const splitLabel = /^label:([A-Za-z0-9](?:[A-Za-z0-9._/-]{0,62}[A-Za-z0-9])?)$/;

/** The label that something is split by, as in `label:team`; null if it is split by something else. */
export const splitLabelOf = (split: string): string | null => splitLabel.exec(split)?.[1] ?? null;

/** An agent's labels: the string members of its metadata, which only operators set. */
export function readLabels(metadata: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** Members of the metadata that are texts, and by which nothing is charged. */
export const notCharged = ['compliance_tag', 'note'];

/**
 * What a request of an agent is charged by: its labels, but for notes and the compliance tag, which an event has of its own; null without
 * any. Members of the metadata that are no valid labels charge nothing.
 */
export function chargedLabels(metadata: Readonly<Record<string, unknown>>): Record<string, string> | null {
  let charged: Record<string, string> | null = null;
  let left = maxLabels;
  for (const name in metadata) {
    const value = metadata[name];
    if (typeof value !== 'string' || notCharged.includes(name) || !labelName.test(name) || !labelValue.test(value))
      continue;
    if (left === 0) break;
    left -= 1;
    charged ??= {};
    charged[name] = value;
  }
  return charged;
}
