/** What the simulated model writes, over and over: prose, code, data and other scripts. */
export const corpus = [
  `The ferry left the northern pier at a quarter past six, twelve minutes late, with nineteen passengers and a crate of
lemons on board. Nobody had told the harbour office about the crate, so the clerk wrote "fruit, unclaimed" into the
ledger and went back to her tea. By noon the wind had turned; the second crossing was cancelled, and the lemons spent
the night in the waiting room beside a stranded violinist who practised the same four bars until the lights went out.`,
  `export function mergeIntervals(intervals: Interval[]): Interval[] {
  const sorted = intervals.toSorted((a, b) => a.start - b.start);
  const merged: Interval[] = [];
  for (const { start, end } of sorted) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}`,
  `{"station":"Oslo S","platform":4,"departures":[{"line":"L13","minutes":3,"delayed":false},{"line":"RE11","minutes":9,
"delayed":true,"reason":"signal fault at Lillestrøm"},{"line":"F6","minutes":17,"delayed":false}]}`,
  `Zuerst wird der Teig eine Stunde lang ruhen gelassen, danach in drei gleich große Stücke geteilt und auf einem gut
bemehlten Brett ausgerollt. Wer möchte, streut Kümmel darüber; gebacken wird bei zweihundert Grad, bis die Kruste
hörbar knackt.`,
  `| Quarter | Orders | Returned | Share |
|---|---:|---:|---:|
| first | 12,840 | 311 | 2.4 % |
| second | 13,902 | 298 | 2.1 % |
| third | 11,377 | 405 | 3.6 % |`,
  `1. Close the main valve before opening the drain.
2. Wait until the gauge reads below 0.4 bar; this takes about five minutes.
3. Replace both seals, even if only one of them leaks.
4. Open the main valve slowly, a quarter turn at a time, and listen for air.`,
].join('\n\n');
