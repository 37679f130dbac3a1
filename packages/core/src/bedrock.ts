/** What stands before a model's name if it runs in several regions: all, or those of a geography, of which AWS adds new ones. */
const profiles = 'global|apac|[a-z]{2}(?:-[a-z]{2,4})?';

const makers =
  `openai|anthropic|google|meta|mistral|cohere|ai21|amazon|deepseek|qwen|nvidia|moonshot|moonshotai|minimax|zai|writer|stability|
  twelvelabs|luma`.replace(/\s+/g, '');

const form = new RegExp(
  `^(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]+:\\d*:(?:inference-profile|foundation-model)/)?((?:(${profiles})\\.)?((?:${makers})\\.(.+)))$`,
);

export interface BedrockName {
  /** Without the ARN around it. */
  id: string;
  /** Null if it runs in the region that is called. */
  profile: string | null;
  /** With its maker, which regions share. */
  base: string;
  model: string;
}

/** @returns null for an ARN that hides its model, such as that of an application's profile, and for names of other forms */
export function readBedrockName(name: string): BedrockName | null {
  const [, id, profile = null, base, model] = form.exec(name) ?? [];
  if (id === undefined || base === undefined || model === undefined) return null;
  return { id, profile, base, model };
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
