/** An agent's labels: the string members of its metadata, which only operators set. */
export function readLabels(metadata: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}
