import { complianceTagPattern, isStorableText } from '@agp/core/events';
import { labelName, labelValue, maxLabels, notCharged } from '@agp/core/labels';
import { nameSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { isDivided, parseTemplate } from './template.ts';

/** How many an installation may have. */
export const maxIdentities = 50;
/** The longest token that is read, in characters. */
export const maxTokenLength = 16_384;
const maxRules = 50;
const maxMatches = 20;
const maxPatterns = 100;
export const maxKeys = 50;
/** Of a key set, in bytes: also if it is fetched. */
export const maxKeySetBytes = 65_536;
/** Characters of JSON. */
const maxLength = 131_072;

export const algorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
];

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => isStorableText(value) && !/\p{C}/u.test(value), 'must be printable');

const isHttp = (value: string) => {
  const url = URL.parse(value);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === ''
  );
};

/** Members that only a private or a symmetric key has. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export const keySetSchema = z
  .looseObject({
    keys: z
      .array(
        z
          .looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']), kid: text(512).optional(), alg: text(32).optional() })
          .refine((key) => !secretMembers.some((name) => Object.hasOwn(key, name)), 'must be a public key alone'),
      )
      .min(1, 'must hold a key')
      .max(maxKeys),
  })
  .refine((set) => JSON.stringify(set).length <= maxKeySetBytes, `must be at most ${maxKeySetBytes} characters`);

const isTemplate = (template: string) => {
  try {
    return parseTemplate(template) !== null;
  } catch {
    return false;
  }
};

const templateSchema = text(1_024).refine(isTemplate, 'must hold whole {claims}');

const partsOf = (template: string) => (isTemplate(template) ? parseTemplate(template) : []);
const isConstant = (template: string) => partsOf(template).every((part) => 'text' in part);

const valueSchema = (pattern: RegExp, message: string) =>
  templateSchema.refine((value) => !isConstant(value) || pattern.test(value), message);

const forbidden = (name: string) => name === '__proto__' || notCharged.includes(name);

const recordOf = <Value extends z.ZodType>(name: z.ZodString, value: Value, max: number) =>
  z.preprocess(
    (record, context) => {
      // Records drop it.
      if (typeof record === 'object' && record !== null && Object.hasOwn(record, '__proto__'))
        context.addIssue({ code: 'custom', message: 'may not hold __proto__' });
      return record;
    },
    z
      .record(name, value)
      .refine((record) => Object.keys(record).length <= max, `must hold at most ${max}`)
      .default({}),
  );

const patternSchema = text(512).regex(/^[^*]*\*?$/, 'may hold * at its end alone');

const ruleSchema = z
  .strictObject({
    name: nameSchema.meta({ example: 'prod' }),
    match: recordOf(text(256), z.array(patternSchema).min(1, 'must hold a value').max(maxPatterns), maxMatches).meta({
      description:
        'Values by claim, each whole or a beginning and `*`, in just this case: one of each must be that of the claim, or in its list',
      example: { 'kubernetes.io/namespace': ['prod-*'] },
    }),
    agent: templateSchema
      .refine((template) => !isConstant(template), 'must hold a claim: its workloads would be one agent')
      .refine((template) => isDivided(partsOf(template)), 'must hold text between two claims')
      .meta({
        description: "The agent's name, with claims in braces",
        example: '{kubernetes.io/namespace}.{kubernetes.io/serviceaccount/name}',
      }),
    labels: recordOf(
      z
        .string()
        .regex(labelName, 'must be a name of a label')
        .refine((name) => !forbidden(name), 'is no label'),
      valueSchema(labelValue, 'must be a value of a label'),
      maxLabels,
    ).meta({
      description: 'Of an agent when it registers: constants, or claims in braces',
      example: { team: '{kubernetes.io/namespace}' },
    }),
    compliance_tag: valueSchema(complianceTagPattern, 'must be a compliance tag').optional(),
  })
  .meta({ id: 'IdentityRule' });

const hasDistinct = (values: readonly string[]) => new Set(values).size === values.length;

/** One issuer of workload identities, as people write it. */
export const identitySchema = z
  .strictObject({
    name: nameSchema.meta({ example: 'production-cluster' }),
    description: text(512).optional(),
    issuer: text(512).meta({
      description: 'Just what its tokens have as `iss`',
      example: 'https://kubernetes.default.svc',
    }),
    audiences: z
      .array(text(512))
      .min(1, 'must hold an audience')
      .max(20)
      .meta({ description: 'One of them must be in `aud`', example: ['agp'] }),
    keys: z
      .union(
        [
          z.strictObject({ discovery: z.literal(true) }),
          z.strictObject({
            jwks_uri: text(2_048).refine(isHttp, 'must be a URL with https, without user and fragment'),
          }),
          z.strictObject({ jwks: keySetSchema }),
        ],
        { error: `must be one of discovery: true, jwks_uri, and jwks with up to ${maxKeys} public keys` },
      )
      .meta({
        description: "`discovery`: by the issuer's `/.well-known/openid-configuration`; or a URL; or the set itself",
      }),
    algorithms: z.array(z.enum(algorithms)).min(1, 'must hold an algorithm').default(['RS256', 'ES256']),
    rules: z
      .array(ruleSchema)
      .min(1, 'must hold a rule')
      .max(maxRules)
      .refine((rules) => hasDistinct(rules.map(({ name }) => name)), 'must have names that differ')
      .meta({ description: 'The first whose match holds decides' }),
  })
  .refine(({ issuer, keys }) => !('discovery' in keys) || isHttp(issuer), {
    path: ['issuer'],
    message: 'must be a URL with https for discovery',
  })
  .refine((identity) => JSON.stringify(identity).length <= maxLength, `must be at most ${maxLength} characters as JSON`)
  .meta({ id: 'Identity', description: 'Whose tokens prove which workload an agent is' });

export type Identity = z.infer<typeof identitySchema>;
export type IdentityRule = Identity['rules'][number];
