/** What stands before a model's name if it runs in several regions: a geography's, or all. */
export const bedrockProfiles = [
  ...(['global', 'us', 'us-gov', 'eu', 'apac', 'jp', 'au', 'ca', 'in', 'sa', 'me', 'af', 'il', 'mx'] as const),
] as const;

const makers =
  `openai|anthropic|google|meta|mistral|cohere|ai21|amazon|deepseek|qwen|nvidia|moonshot|moonshotai|minimax|zai|writer|stability|
  twelvelabs|luma`.replace(/\s+/g, '');

const form = new RegExp(
  `^(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]+:\\d*:(?:inference-profile|foundation-model)/)?((?:(${bedrockProfiles.join('|')})\\.)?((?:${makers})\\.(.+)))$`,
);

export interface BedrockName {
  /** Without the ARN around it. */
  id: string;
  /** Null if it runs in the region that is called. */
  profile: (typeof bedrockProfiles)[number] | null;
  /** With its maker, which regions share. */
  base: string;
  model: string;
}

/** @returns null for an ARN that hides its model, such as that of an application's profile, and for names of other forms */
export function readBedrockName(name: string): BedrockName | null {
  const [, id, profile = null, base, model] = form.exec(name) ?? [];
  if (id === undefined || base === undefined || model === undefined) return null;
  return { id, profile: profile as BedrockName['profile'], base, model };
}

/** Whether a name is an ARN that does not say which model it stands for. */
export const hidesModel = (name: string): boolean => name.startsWith('arn:') && readBedrockName(name) === null;
