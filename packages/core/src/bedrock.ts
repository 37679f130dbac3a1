/** What stands before a model's name if it runs in several regions: all, or those of a geography, of which AWS adds new ones. */
const profiles = 'global|apac|[a-z]{2}(?:-[a-z]{2,4})?';

const makers =
  `openai|anthropic|google|meta|mistral|cohere|ai21|amazon|deepseek|qwen|nvidia|moonshot|moonshotai|minimax|zai|writer|stability|
  twelvelabs|luma`.replace(/\s+/g, '');

const form = new RegExp(
  `^(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]+:\\d*:(?:inference-profile|foundation-model)/|(arn:[^#]+:application-inference-profile/[^#]+)#)?((?:(${profiles})\\.)?((?:${makers})\\.(.+)))$`,
);

export interface BedrockName {
  /** Of an application's profile that is known to be for the model; null for others. */
  arn: string | null;
  /** Without the ARN around it. */
  id: string;
  /** Null if it runs in the region that is called. */
  profile: string | null;
  /** With its maker, which regions share. */
  base: string;
  model: string;
}

/** How a call is named whose ARN hides its model, which configuration tells: AWS takes no name with a `#`. */
export const nameProfile = (arn: string, model: string): string => `${arn}#${model}`;

/** @returns null for an ARN that hides its model, such as that of an application's profile, and for names of other forms */
export function readBedrockName(name: string): BedrockName | null {
  const [, arn = null, id, profile = null, base, model] = form.exec(name) ?? [];
  if (id === undefined || base === undefined || model === undefined) return null;
  return { arn, id, profile, base, model };
}

/** A name without the revision that Bedrock adds, such as `-v1:0`. */
export const dropRevision = (model: string): string => model.replace(/-v\d+(?::\d+)?$/, '');

/** The name that its maker's own API has, as answers do; null for names of other forms. */
export function readMakersName(name: string): string | null {
  const read = readBedrockName(name);
  return read && dropRevision(read.model);
}

/** Whether a name is an ARN that does not say which model it stands for. */
export const hidesModel = (name: string): boolean => name.startsWith('arn:') && readBedrockName(name) === null;

const guardrail =
  /^((?:arn:aws(?:-[a-z-]{1,20})?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/)?([a-z0-9]{1,64}))(?::(DRAFT|[1-9]\d{0,7}))?$/;

/**
 * A guardrail by its id or ARN, then its version, such as `abc123xyz:3`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GuardrailConfiguration.html); null for other forms.
 */
export function readGuardrail(given: string): { name: string; id: string; version: string | null } | null {
  const [, name, id, version = null] = guardrail.exec(given) ?? [];
  return name === undefined || id === undefined ? null : { name, id, version };
}

/**
 * Whether a call asks for the guardrail that a rule names: without a version for any but the draft.
 * @param asked with its version; an id is compared with that of an ARN alone
 */
export function isGuardrail(named: string, asked: string): boolean {
  const [rule, own] = [readGuardrail(named), readGuardrail(asked)];
  if (rule === null || own === null) return false;
  const isBare = rule.name === rule.id || own.name === own.id;
  const isSame = isBare ? rule.id === own.id : rule.name === own.name;
  return (
    isSame && (rule.version === null ? own.version !== null && own.version !== 'DRAFT' : rule.version === own.version)
  );
}
