interface Finding {
  in: string;
  message: number | null;
  type: string;
}

/** Where personal data was found, the same kind in the same message once: `email in request, message 2 (3 times)`. */
export function listFindings(findings: readonly Finding[]): string[] {
  const places = Map.groupBy(findings, ({ in: part, message, type }) => {
    const place = message === null ? part : `${part}, message ${message}`;
    return `${type.replaceAll('_', ' ')} in ${place}`;
  });
  return [...places].map(([place, each]) => (each.length > 1 ? `${place} (${each.length} times)` : place));
}
