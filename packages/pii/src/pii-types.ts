/**
 * The surer form stays if findings overlap: digits that must add up, a rare layout, a word nearby, usually right, by lists of words.
 */
export type PiiForm = 'checksum' | 'fixed' | 'context' | 'loose' | 'guess';

/** The names in `pii_types` of events: never renamed or given another meaning, and listed in docs/pii.md. */
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
  postal_address: { description: 'Postal address', form: 'loose' },
  person_name: { description: 'Name of a person', form: 'guess' },

  national_id_au: { description: 'Tax file number of Australia', form: 'checksum' },
  national_id_be: { description: 'National register number of Belgium', form: 'checksum' },
  national_id_bg: { description: 'Personal number of Bulgaria (EGN)', form: 'checksum' },
  national_id_br: { description: 'Taxpayer number of Brazil (CPF)', form: 'checksum' },
  national_id_ca: { description: 'Social insurance number of Canada', form: 'checksum' },
  national_id_ch: { description: 'Social insurance number of Switzerland (AHV)', form: 'checksum' },
  national_id_cl: { description: 'National number of Chile (RUT)', form: 'checksum' },
  national_id_cn: { description: 'Resident identity number of China', form: 'checksum' },
  national_id_cz: { description: 'Birth number of Czechia and Slovakia', form: 'checksum' },
  national_id_de: { description: 'Tax identification number of Germany', form: 'checksum' },
  national_id_dk: { description: 'Personal number of Denmark (CPR)', form: 'context' },
  national_id_ee: { description: 'Personal code of Estonia', form: 'checksum' },
  national_id_es: { description: 'Identity number of Spain (DNI, NIE)', form: 'checksum' },
  national_id_fi: { description: 'Personal identity code of Finland', form: 'checksum' },
  national_id_fr: { description: 'Social security number of France (NIR)', form: 'checksum' },
  national_id_gb: { description: 'NHS or national insurance number of the United Kingdom', form: 'checksum' },
  national_id_ie: { description: 'Personal public service number of Ireland', form: 'checksum' },
  national_id_in: { description: 'Aadhaar number of India', form: 'checksum' },
  national_id_it: { description: 'Tax code of Italy (codice fiscale)', form: 'checksum' },
  national_id_jp: { description: 'Individual number of Japan', form: 'checksum' },
  national_id_kr: { description: 'Resident registration number of South Korea', form: 'checksum' },
  national_id_mx: { description: 'Population registry code of Mexico (CURP)', form: 'checksum' },
  national_id_nl: { description: 'Citizen service number of the Netherlands (BSN)', form: 'checksum' },
  national_id_no: { description: 'National identity number of Norway', form: 'checksum' },
  national_id_pl: { description: 'PESEL number of Poland', form: 'checksum' },
  national_id_pt: { description: 'Taxpayer number of Portugal (NIF)', form: 'checksum' },
  national_id_ro: { description: 'Personal numeric code of Romania (CNP)', form: 'checksum' },
  national_id_se: { description: 'Personal identity number of Sweden', form: 'checksum' },
  national_id_tr: { description: 'Identity number of Turkey', form: 'checksum' },
  national_id_za: { description: 'Identity number of South Africa', form: 'checksum' },

  api_key: { description: 'Secret key of an API, in the form of its issuer', form: 'fixed' },
  aws_key: { description: 'AWS access key id or secret access key', form: 'fixed' },
  github_token: { description: 'GitHub token', form: 'checksum' },
  jwt: { description: 'JSON web token', form: 'fixed' },
  private_key: { description: 'Private key in PEM, PGP or age form', form: 'fixed' },
  credential_url: { description: 'URL with a name and password', form: 'fixed' },
  password: { description: 'Password that stands behind its name', form: 'context' },
  credential: { description: 'Key or token that stands behind its name', form: 'context' },
} as const satisfies Record<string, { description: string; form: PiiForm }>;

export type PiiType = keyof typeof piiTypes;

const typeNames = Object.keys(piiTypes) as PiiType[];

/** Names that stand for several types in policies. `person_name` is in none: names are found by lists of words, after the call. */
export const piiGroups = {
  payment_card: ['credit_card'],
  payment: ['credit_card', 'iban', 'us_bank_routing', 'crypto_wallet'],
  contact: ['email', 'phone', 'postal_address'],
  network: ['ip_address', 'mac_address'],
  identity: ['us_ssn', 'passport', 'date_of_birth', ...typeNames.filter((type) => type.startsWith('national_id_'))],
  secrets: ['api_key', 'aws_key', 'github_token', 'jwt', 'private_key', 'credential_url', 'password', 'credential'],
  all: typeNames.filter((type) => type !== 'person_name'),
} as const satisfies Record<string, readonly PiiType[]>;

/** The types that a name of a rule of data stands for; empty if it may not name it: in `person_name` is no rule sure. */
export function listPiiTypes(name: string): readonly PiiType[] {
  if (Object.hasOwn(piiGroups, name)) return piiGroups[name as keyof typeof piiGroups];
  return piiGroups.all.filter((type) => type === name);
}
