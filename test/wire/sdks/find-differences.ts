/** Paths, as `choices.0.delta`, at which two answers differ; `''` where they differ as a whole. */
export function findDifferences(one: unknown, other: unknown, path: string[] = []): string[] {
  if (Object.is(one, other)) return [];
  const bothObjects = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
  if (!bothObjects || Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return [path.join('.')];
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) =>
    Object.hasOwn(a, key) === Object.hasOwn(b, key)
      ? findDifferences(a[key], b[key], [...path, key])
      : [[...path, key].join('.')],
  );
}
