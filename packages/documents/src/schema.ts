import { isStorableText } from '@agp/core/events';
import { z } from 'zod';
import { isCostly } from './names.ts';

/** Names of a list, or labels of a selector. */
const maxNames = 100;
/** Patterns of a list that must be compared one after the other. */
const maxCostly = 20;

/** @param max characters */
export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => isStorableText(value) && !/\p{C}/u.test(value), 'must be printable');

export const exactOrBeginning = text(256)
  .regex(/^[^*]*\*?$/, 'may hold * at its end alone')
  .meta({ description: 'A whole name, or its beginning and `*`; in any case' });

export const listOf = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .max(maxNames)
    .refine(
      (names) => names.filter(isCostly).length <= maxCostly,
      `may hold at most ${maxCostly} patterns with * in the middle or more than once`,
    );

export const someOf = <Item extends z.ZodType<string>>(item: Item) => listOf(item).min(1, 'must hold a name');

const labelsSchema = z
  .record(text(256), someOf(exactOrBeginning))
  .refine((labels) => Object.keys(labels).length > 0, 'must hold a label')
  .refine((labels) => Object.keys(labels).length <= maxNames, `must hold at most ${maxNames} labels`);

export const modelNamesSchema = someOf(exactOrBeginning);

/** What chooses requests by their agent and head. */
export const selectorFields = {
  agents: someOf(exactOrBeginning).optional(),
  labels: z
    .preprocess((labels, context) => {
      // Records drop it.
      if (typeof labels === 'object' && labels !== null && Object.hasOwn(labels, '__proto__'))
        context.addIssue({ code: 'custom', message: 'may not hold a label __proto__' });
      return labels;
    }, labelsSchema)
    .optional()
    .meta({ description: "Values by label, which is a string member of the agent's metadata" }),
  tags: someOf(exactOrBeginning).optional().meta({ description: 'Compliance tags' }),
  providers: someOf(exactOrBeginning).optional(),
};

export const selectorSchema = z
  .strictObject(selectorFields)
  .refine((selector) => Object.values(selector).some(Boolean), 'must name agents, labels, tags or providers');

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

export const zoneSchema = text(64).refine(isZone, 'must be a time zone such as Europe/Berlin');

/** What a document is called. */
export const nameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be up to 64 of a-z, 0-9, ".", "_", "-", first a letter or digit');

/** A document's text as the API shows it. */
export const storedTextSchema = z
  .string()
  .nullable()
  .meta({ description: 'It as it was written in YAML, with comments; null if it was JSON' });
