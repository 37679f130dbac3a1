export const labelName = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,62}[A-Za-z0-9])?$/;
export const labelValue = /^(?! )[^\p{C}]{1,1024}(?<! )$/u;
export const maxLabels = 64;

/** An agent's labels: the string members of its metadata, which only operators set. */
export function readLabels(metadata: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

const notCharged = ['compliance_tag', 'note'];

/**
 * What a request of an agent is charged by: its labels, but for notes and the compliance tag, which an event has of its own; null without
 * any. Members of the metadata that are no valid labels charge nothing.
 */
export function chargedLabels(metadata: Readonly<Record<string, unknown>>): Record<string, string> | null {
  const charged = readLabels(metadata).filter(
    ([name, value]) => !notCharged.includes(name) && labelName.test(name) && labelValue.test(value),
  );
  return charged.length === 0 ? null : Object.fromEntries(charged.slice(0, maxLabels));
}
