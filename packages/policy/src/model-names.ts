import { fold } from './names.ts';

/** What gateways and clouds write before a model's name, which leaves it the same model: makers, clouds, and an account's own routes (`@prod`). */
const routes = new Set(
  `openai azure azure_ai azure-openai azureml anthropic claude google gemini vertex vertex_ai google-vertex google-ai-studio bedrock amazon aws
  meta meta-llama meta-ai mistral mistralai mistral-ai deepseek deepseek-ai x-ai xai groq together together_ai togethercomputer fireworks
  fireworks_ai perplexity cohere ai21 qwen alibaba moonshotai z-ai zai zai-org nvidia nvidia_nim microsoft ollama ollama_chat huggingface vllm
  hosted_vllm openrouter litellm_proxy portkey vercel cloudflare cerebras sambanova deepinfra novita replicate databricks models chat
  responses converse accounts api`.split(/\s+/),
);

/** Bedrock's region and maker. */
const bedrock =
  /^(?:(?:us|eu|apac|jp|au|us-gov|global)\.)?(?:openai|anthropic|google|meta|mistral|cohere|ai21|amazon|deepseek|qwen|nvidia|moonshot|minimax)\./;

/** A dated or counted version, the latest one, Bedrock's revision. */
const version =
  /^(?:(?:-preview)?[-:_.@](?:v\d+[-.:])?(?:\d{3}[\d.:_-]*|\d{2}-\d{2,4}(?:-\d{2})?)(?:-preview)?)?(?:-v\d+:\d+)?(?:[-@:](?:latest|default))?$/;

/** How OpenRouter and others route the same model. */
const routing = /(?::(?:free|nitro|floor|online|extended|exacto|beta|thinking))+$/;

/** A fine-tuned model is its base too: `ft:gpt-4o:org::id`. */
const tuned = /^ft:([^:]+)(?::.*)?$/;

const isRoute = (segment: string) => routes.has(segment) || /^@[\w.-]+$/.test(segment);

/** All names by which rules know a model, its own first. */
function listNames(name: string): string[] {
  const own = fold(name);
  const segments = own.split('/');
  const last = segments.at(-1) as string;
  const isRouted = segments.length > 1 && segments.slice(0, -1).every(isRoute);
  const plain = (isRouted ? last : own).replace(bedrock, '').replace(routing, '');
  const base = tuned.exec(plain)?.[1];
  return [...new Set([own, own.replace(routing, ''), plain, ...(base === undefined ? [] : [base])])];
}

/**
 * Whether a model is a pattern's: by its whole name, as one of its dated versions or the latest, behind a routed prefix, or as a fine-tuned
 * one of it. A variant such as `-mini` is another model. `allow`, `deny` and answers compare by this alone.
 * @param pattern a name, or its beginning and `*`
 */
export function matchesModel(pattern: string, name: string): boolean {
  const wanted = fold(pattern);
  const names = listNames(name);
  if (wanted.endsWith('*')) return names.some((each) => each.startsWith(wanted.slice(0, -1)));
  const least = wanted.replace(/-latest$/, '');
  return names.some((each) => each === wanted || (each.startsWith(least) && version.test(each.slice(least.length))));
}
