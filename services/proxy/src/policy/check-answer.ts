import type { CheckedText, Replacement } from '@agp/metering';
import { type DataAction, dataActions, kindName } from '@agp/policy';
import { z } from 'zod';
import { checks as bounds } from '../limits.ts';

interface CheckAnswer {
  action: 'allow' | DataAction;
  /** Null if the check gives none. */
  reason: string | null;
  /** In the order of texts, and of places in them. */
  findings: readonly Replacement[];
}

const printable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !/\p{C}/u.test(text), 'must be printable')
    .nullish();

const answerSchema = z.object({
  action: z.enum(['allow', ...dataActions]),
  reason: printable(256),
  findings: z
    .array(
      z.object({ id: z.int(), start: z.int().min(0), end: z.int().min(1), kind: kindName, replace: printable(512) }),
    )
    .refine(
      (findings) => new Set(findings.map(({ kind }) => kind)).size <= bounds.kinds,
      `must name at most ${bounds.kinds} kinds`,
    )
    .nullish(),
});

/** Whether a place is between the two units of one character. */
const splits = (text: string, at: number) =>
  at > 0 && at < text.length && (text.codePointAt(at - 1) as number) > 0xffff;

/** @throws Error that names the member at fault, and quotes nothing */
export function parseAnswer(answer: unknown, texts: readonly CheckedText[]): CheckAnswer {
  const { data, error } = answerSchema.safeParse(answer);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw new Error(`${issue.path.join('.') || 'answer'}: ${issue.message}`);
  const { action, reason, findings: given } = data as z.infer<typeof answerSchema>;
  const findings = (given ?? []).map(({ replace, ...place }) => ({ ...place, text: replace ?? `[${place.kind}]` }));
  if (action === 'redact' && findings.length === 0) throw new Error('findings: must hold what redact replaces');
  findings.sort((one, other) => one.id - other.id || one.start - other.start);
  const known = new Map(texts.map(({ id, text }) => [id, text]));
  for (const [at, { id, start, end }] of findings.entries()) {
    const text = known.get(id) ?? '';
    const before = findings[at - 1];
    const refuse = (what: string) => new Error(`findings: ${what}: ${start} to ${end} of text ${id}`);
    if (start >= end || end > text.length) throw refuse('are no part of a text');
    if (splits(text, start) || splits(text, end)) throw refuse('may not begin or end within a character');
    if (before?.id === id && start < before.end) throw refuse('may not overlap');
  }
  return { action, reason: reason || null, findings };
}
