import { z } from 'zod';

/**
 * What a tool is: run by the `client`, `hosted` by the provider, or reached by the provider over MCP: a `remote_mcp` server by its host, one
 * of its `connector`s, or a `tunnel`.
 */
export const toolKinds = ['client', 'hosted', 'remote_mcp', 'connector', 'tunnel'] as const;

const isPlain = (value: string) => !value.includes('\0') && value.isWellFormed();

export const maxToolName = 128;
/** The most declared tools of an event, and the most called ones. */
export const maxTools = 100;
export const maxDecisions = 20;
export const maxAskedModels = 20;

const name = z.string().min(1).max(maxToolName).refine(isPlain);

const namedToolSchema = z
  .object({
    kind: z.enum(toolKinds),
    names: z.array(name).min(1).max(4).meta({ description: 'All by which rules may know it, the fullest first' }),
  })
  .meta({ id: 'NamedTool', description: 'A tool by its names, never with arguments' });

export const eventToolsSchema = z
  .object({
    declared: z.array(namedToolSchema).max(maxTools).nullable().meta({
      description: 'What the request offered its model; null if that could not be read',
    }),
    called: z.array(namedToolSchema).max(maxTools).meta({ description: 'What the answer called' }),
    more: z.int().min(0).meta({ description: 'Tools that are left out here' }),
  })
  .meta({ id: 'EventTools', description: 'Tools of a request and its answer, by name' });

/** What a policy did with a request that went on, and the word that people read for it. */
export const decisionWords = {
  observe: 'noted',
  warn: 'warned',
  lower: 'lowered',
  strip: 'stripped',
  redact: 'redacted',
  flag: 'flagged',
  cut: 'cut',
  excepted: 'excepted',
} as const;
export type DecisionAction = keyof typeof decisionWords;
export const decisionActions = Object.keys(decisionWords) as [DecisionAction, ...DecisionAction[]];

export const decisionSchema = z
  .object({
    policy: z.string().min(1).max(64).refine(isPlain),
    version: z.int().min(1).meta({ description: "The policy's own" }),
    rule: z.string().min(1).max(64).refine(isPlain).meta({ example: 'models' }),
    action: z.enum(decisionActions).meta({
      description:
        '`observe` and `warn`: it would have been refused or changed; `lower` and `strip`: the request was changed; `redact`: texts were replaced; `flag`: they were noted; `cut`: the answer was ended; `excepted`: an exception of the policy let it pass',
    }),
    found: z
      .record(z.string().max(64).refine(isPlain), z.int().min(1))
      .optional()
      .meta({
        description: 'How often a rule of data found what it names, by kind; never a value',
        example: { email: 2 },
      }),
  })
  .meta({ id: 'Decision', description: 'What one rule of a policy decided of a request' });

/** What rules ask of a request beside its other members, kept so that a policy can be tried on the past. */
export const askedSchema = z
  .object({
    operations: z.array(z.string().max(64).refine(isPlain)).max(8).nullable().meta({
      description: 'All names of the operation, its own first; null for a path that is not known',
    }),
    models: z.array(z.string().max(256).refine(isPlain)).max(maxAskedModels).nullable().meta({
      description: 'All that the request names, each of which may answer; null if that cannot be read',
    }),
    unread: z.string().max(128).refine(isPlain).nullish().meta({
      description: 'What no table knows and that could name a model or bring a tool, so that neither was read',
      example: 'the member "fallbacks"',
    }),
    geo: z.string().max(8).refine(isPlain).nullish().meta({
      description: 'Where it was to be processed; null if that was not known for sure, absent if nobody looked',
      example: 'eu',
    }),
    stores: z.string().max(64).refine(isPlain).or(z.literal(false)).nullish().meta({
      description: 'What keeps its text at the provider; false for nothing, null if it did not say, absent as `geo`',
      example: 'a batch',
    }),
    guardrail: z.string().max(256).refine(isPlain).or(z.boolean()).nullish().meta({
      description:
        'The guardrail of Bedrock that it asked for, with its version; false for none, true if no model ran that needs one, null if it could not be read, absent if nobody looked',
      example: 'abc123xyz:3',
    }),
    output_tokens: z.int().min(0).nullable().meta({ description: 'The most of one answer; null without a bound' }),
    input_bytes: z.int().min(0).nullable().meta({ description: 'Null if it was not known before the request went on' }),
    nano_usd: z.int().min(0).meta({ description: 'What it was likely to cost, in billionths of a dollar' }),
  })
  .meta({ id: 'Asked', description: 'What rules ask of a request' });

export type EventTool = z.infer<typeof namedToolSchema>;
export type EventTools = z.infer<typeof eventToolsSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type Asked = z.infer<typeof askedSchema>;
