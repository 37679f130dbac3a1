import { createTextSearch } from '@agp/pii';
import { labelLengths } from '@agp/pii/label';
import type { TriedText, TryRequest } from './contract.ts';
import { judgeData, nameKind } from './data-rules.ts';
import { decideKinds, listPatterns, makeFinder, PolicyDenied } from './decide.ts';
import { writePut } from './put.ts';
import { prepare } from './rules.ts';

/** In place of a hash, whose key stands in the proxy alone. */
const noHash = 'x'.repeat(12);

const noHead = { agent: '', labels: {}, tag: '', provider: '', operations: null, at: 0 };

/** What policies, each as if it were enforced and matched, find in a text and do with it. Slow for patterns that are meant to be. */
export function tryText({ policies, direction, text }: TryRequest): TriedText {
  const rule = `pii.${direction}` as const;
  // As the proxy reads them.
  const inOrder = policies.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const prepared = inOrder.map(({ exceptions: _, until: __, ...policy }) => prepare({ ...policy, mode: 'enforce' }, 1));
  const asking = prepared.filter(({ policy }) => policy.pii?.[direction]);
  const kinds = asking.flatMap(({ data }) => [...data[direction].keys()]);
  const places = createTextSearch(kinds, listPatterns(asking)).find(text);
  const counts = [...Map.groupBy(places, ({ kind }) => kind)].map(([kind, { length: count }]) => ({ kind, count }));
  const decided = decideKinds(asking, direction);
  const findings = asking.flatMap((each) => {
    const fault = judgeData(each.data[direction], { found: counts, unsearched: null }, each.policy.unreadable);
    return fault === null || fault.remedy !== undefined ? [] : [makeFinder(each, noHead)(rule, fault)];
  });
  const refusal = PolicyDenied.by(findings)?.message ?? null;
  return {
    found: asking.flatMap(({ policy, data }) =>
      counts.flatMap(({ kind, count }) => {
        const action = data[direction].get(kind);
        return action === undefined ? [] : [{ policy: policy.name, kind: nameKind(kind), action, count }];
      }),
    ),
    places: places.map(({ kind, start, end }) => {
      return { start, end, kind: nameKind(kind), action: decided.get(kind)?.action ?? 'flag' };
    }),
    sent: refusal === null ? replace(text, places, decided) : null,
    refusal,
    notes: prepared.flatMap(({ policy: { name, pii, check } }) => [
      ...(pii?.[direction] ? [] : [`${name} has no rule of personal data for a ${direction}`]),
      ...(check?.[direction] ? [`the check of ${name} is not asked here`] : []),
      ...(pii?.replace_with === 'hash' ? [`${noHash} stands for a hash of ${name}, whose key the proxy has`] : []),
    ]),
  };
}

/** In place of the signs of labels, which the proxy writes by its key, their values are numbered. */
function replace(
  text: string,
  places: readonly { kind: string; start: number; end: number }[],
  decided: ReturnType<typeof decideKinds>,
): string {
  const labels = new Map<string, Map<string, number>>();
  let sent = '';
  let at = 0;
  for (const { kind, start, end } of places) {
    const { action, put = 'label' } = decided.get(kind) ?? {};
    if (action !== 'redact') continue;
    const value = text.slice(start, end);
    const known = labels.get(nameKind(kind)) ?? new Map<string, number>();
    labels.set(nameKind(kind), known);
    const number = known.get(value) ?? known.size + 1;
    known.set(value, number);
    const told = put === 'hash' ? noHash : `${number}`.padStart(labelLengths[0], 'x');
    sent += text.slice(at, start) + writePut(put, kind, value, told);
    at = end;
  }
  return sent + text.slice(at);
}
