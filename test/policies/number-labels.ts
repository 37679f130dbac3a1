import { kindOfLabel, labelPattern } from '@agp/pii/label';

/** The same text with numbers in place of a label's signs, in the order of first sight: `[email k7p2mz]` becomes `[email 1]`. */
export function numberLabels(text: string): string {
  const known = new Map<string, string[]>();
  return text.replaceAll(labelPattern, (label) => {
    const kind = kindOfLabel(label);
    const labels = known.get(kind) ?? [];
    known.set(kind, labels);
    if (!labels.includes(label)) labels.push(label);
    return `[${kind} ${labels.indexOf(label) + 1}]`;
  });
}
