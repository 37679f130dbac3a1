import { readFileSync } from 'node:fs';
import type { PiiType } from '@agp/pii';
import { z } from 'zod';

/** A text of presidio-research's generated data set, with what is said to stand where (UTF-16 units). */
export interface LabelledText {
  readonly text: string;
  /** Texts with the same number come from the same sentence with other values in it. */
  readonly template: number;
  readonly labels: readonly Label[];
}

export interface Label {
  /** The label of the data set. */
  readonly name: string;
  /** Our type for it, or null where we have none. */
  readonly type: PiiType | null;
  readonly start: number;
  readonly end: number;
}

/** Which of our types a label of the data set is. */
export const typeOfLabel: Readonly<Record<string, PiiType>> = {
  CREDIT_CARD: 'credit_card',
  EMAIL_ADDRESS: 'email',
  IBAN_CODE: 'iban',
  IP_ADDRESS: 'ip_address',
  PERSON: 'person_name',
  PHONE_NUMBER: 'phone',
  STREET_ADDRESS: 'postal_address',
  US_SSN: 'us_ssn',
  ZIP_CODE: 'postal_address',
};

const dataSet = z.array(
  z.object({
    full_text: z.string(),
    template_id: z.number(),
    spans: z.array(z.object({ entity_type: z.string(), start_position: z.number(), end_position: z.number() })),
  }),
);

/** What stands before a date that somebody was born on. */
const birth = /\bborn on $|\bdate of birth\b[^\d]{0,12}$/;

/** Reads the data set's file. A date is our `date_of_birth` only where the text before it says that somebody was born. */
export function readLabelledTexts(path: string): LabelledText[] {
  return dataSet.parse(JSON.parse(readFileSync(path, 'utf8'))).map(({ full_text, template_id, spans }) => ({
    text: full_text,
    template: template_id,
    labels: spans.map(({ entity_type, start_position, end_position }) => {
      const isBirth = entity_type === 'DATE_TIME' && birth.test(full_text.slice(0, start_position));
      const type = isBirth ? 'date_of_birth' : (typeOfLabel[entity_type] ?? null);
      return { name: isBirth ? 'DATE_TIME (of birth)' : entity_type, type, start: start_position, end: end_position };
    }),
  }));
}
