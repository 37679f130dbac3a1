/** Reasoning tokens for each level of effort that callers can name. */
const byEffort: Record<string, number> = { none: 0, minimal: 0, low: 64, medium: 128, high: 256, xhigh: 512, max: 512 };

/** The reasoning tokens of an answer: as much as the effort says, and none from models that do not reason. */
export function chooseReasoning(model: string, effort: unknown): number {
  return /^(?:gpt-5|o\d)/.test(model) ? (byEffort[String(effort)] ?? 64) : 0;
}
