import { z } from 'zod';
import { complianceTagPattern, isStorableText } from '../events/event-fields.ts';
import { labelName, labelValue, maxLabels } from '../labels.ts';

/** Bytes of its JSON in UTF-8. */
const maxMetadataBytes = 16 * 1024;
const maxMetadataDepth = 32;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without recursion, so that no depth of nesting exhausts the stack. */
function findFault(root: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && !isStorableText(value)) return 'must not hold NUL or a lone surrogate';
    // JSON has no infinity: it would be stored as null.
    if (typeof value === 'number' && !Number.isFinite(value)) return 'must not hold a number beyond 1.8e308';
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxMetadataDepth) return `must not be nested deeper than ${maxMetadataDepth} levels`;
    for (const [key, child] of Object.entries(value)) {
      if (!isStorableText(key)) return 'must not hold a key with NUL or a lone surrogate';
      open.push({ value: child, depth: depth + 1 });
    }
  }
  return null;
}

function findLabelFault(name: string, value: string | null): string | null {
  if (!labelName.test(name))
    return 'must have a name of up to 64 letters, digits and . _ / -, with a letter or digit at both ends';
  if (value === null) return null;
  if (name === 'compliance_tag' && !complianceTagPattern.test(value))
    return `must match ${complianceTagPattern.source}`;
  return labelValue.test(value) ? null : 'must be 1 to 1024 printable characters';
}

/** Changes of labels, which are the string members of metadata; null removes one. */
export const labelChangesSchema = z
  .record(z.string(), z.string().nullable())
  .superRefine((labels, context) => {
    const entries = Object.entries(labels);
    if (entries.length === 0) context.addIssue({ code: 'custom', message: 'must hold a label' });
    if (entries.length > maxLabels)
      return context.addIssue({ code: 'custom', message: `must hold at most ${maxLabels} labels` });
    for (const [name, value] of entries) {
      const message = findLabelFault(name, value);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .meta({
    description: 'Sets these string members of the metadata, and removes those that are null; the others stay',
    example: { team: 'sales', owner: null },
  });

export const labelListSchema = z
  .array(z.string())
  .meta({ description: "The agent's labels as they are now", example: ['team=sales'] });

/** The object passes through unchanged: zod's own records drop a key named `__proto__`, which JSON allows and Postgres keeps. */
export const metadataInputSchema = z
  .unknown()
  .superRefine((value, context) => {
    const fail = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
    if (!isObject(value)) return fail('must be a JSON object');
    const fault = findFault(value);
    if (fault !== null) return fail(fault);
    if (Buffer.byteLength(JSON.stringify(value)) > maxMetadataBytes) return fail('must not exceed 16 KiB');
    const tag = Object.hasOwn(value, 'compliance_tag') ? value.compliance_tag : undefined;
    if (tag !== undefined && (typeof tag !== 'string' || !complianceTagPattern.test(tag))) {
      fail(`must match ${complianceTagPattern.source}`, ['compliance_tag']);
    }
  })
  .transform((value) => value as Record<string, unknown>)
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'Replaces the old metadata. At most 16 KiB of JSON and 32 levels. `compliance_tag`, if present, sets the tag of all events of the agent.',
    example: { team: 'billing', compliance_tag: 'pci' },
  });
