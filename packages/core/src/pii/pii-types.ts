/**
 * How sure the form of a type alone makes a finding. Where two findings overlap, the surer one stays:
 * `checksum` (digits that must add up) before `fixed` (a layout that little else has) before `context`
 * (a word nearby is needed) before `loose` (a guess that is usually right).
 */
export type PiiForm = 'checksum' | 'fixed' | 'context' | 'loose';

/**
 * Every kind of PII that is looked for, by the name that stands in an event's `pii_types`. The names are
 * stable: they are never renamed or given another meaning, and docs/pii.md lists them all.
 */
export const piiTypes = {
  email: { description: 'E-mail address', form: 'fixed' },
  phone: { description: 'Phone or fax number, international or national', form: 'loose' },
  credit_card: { description: 'Payment card number', form: 'checksum' },
  iban: { description: 'International bank account number', form: 'checksum' },
  us_bank_routing: { description: 'US bank routing number (ABA)', form: 'checksum' },
  crypto_wallet: { description: 'Bitcoin or Ethereum address', form: 'checksum' },
  ip_address: { description: 'IPv4 or IPv6 address', form: 'fixed' },
  mac_address: { description: 'MAC address of a network interface', form: 'fixed' },

  us_ssn: { description: 'US social security number', form: 'fixed' },
  passport: { description: 'Passport number', form: 'context' },
  date_of_birth: { description: 'Date of birth', form: 'context' },
  postal_address: { description: 'US or UK postal address', form: 'loose' },
  person_name: { description: 'Name of a person', form: 'loose' },

  api_key: { description: 'Secret key of an API', form: 'fixed' },
  aws_key: { description: 'AWS access key', form: 'fixed' },
  github_token: { description: 'GitHub token', form: 'fixed' },
  jwt: { description: 'JSON web token', form: 'fixed' },
  private_key: { description: 'Private key', form: 'fixed' },
} as const satisfies Record<string, { description: string; form: PiiForm }>;

/** A kind of PII. */
export type PiiType = keyof typeof piiTypes;
