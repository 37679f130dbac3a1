import { hidesModel, readBedrockName } from '@agp/core/bedrock';
import { fold, isListed } from './names.ts';

/** What gateways and clouds write before a model's name, which leaves it the same model: makers, clouds, and an account's own routes (`@prod`). */
const routes = new Set(
  `openai azure azure_ai azure-openai azureml anthropic claude google gemini vertex vertex_ai google-vertex google-ai-studio bedrock amazon aws
  meta meta-llama meta-ai mistral mistralai mistral-ai deepseek deepseek-ai x-ai xai groq together together_ai togethercomputer fireworks
  fireworks_ai perplexity cohere ai21 qwen alibaba moonshotai z-ai zai zai-org nvidia nvidia_nim microsoft ollama ollama_chat huggingface vllm
  hosted_vllm openrouter litellm_proxy portkey vercel cloudflare cerebras sambanova deepinfra novita replicate databricks models chat
  responses converse accounts api`.split(/\s+/),
);

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
  const unrouted = isRouted ? last : own;
  const { arn, id, base, model } = readBedrockName(unrouted) ?? {};
  const plain = (model ?? unrouted).replace(routing, '');
  const names = [own, own.replace(routing, ''), arn ?? undefined, id, base, plain, tuned.exec(plain)?.[1]];
  return [...new Set(names.filter((each) => each !== undefined))];
}

/** A longer version is of no model. */
const maxVersion = 64;

/** A name, and all that it is a version of. */
function listBases(name: string): string[] {
  if (hidesModel(name)) return [name];
  const bases = [name];
  for (let at = Math.max(0, name.length - maxVersion); at < name.length; at += 1)
    if ('-:_.@'.includes(name[at] as string) && version.test(name.slice(at))) bases.push(name.slice(0, at));
  return bases;
}

/** What is asked of a model once for each list. */
interface Known {
  names: readonly string[];
  bases: readonly string[];
}

const known = new Map<string, Known>();
const mostKnown = 1_000;
/** Agents choose them: longer ones are not remembered. */
const maxName = 256;

function know(model: string): Known {
  const before = known.get(model);
  if (before !== undefined) return before;
  const names = hidesModel(fold(model)) ? [fold(model)] : listNames(model);
  const made = { names, bases: [...new Set(names.flatMap(listBases))] };
  if (model.length > maxName) return made;
  if (known.size >= mostKnown) known.clear();
  known.set(model, made);
  return made;
}

const unversioned = new WeakMap<readonly string[], readonly string[]>();

/** Patterns that are whole names, none of them as the latest. */
function listUnversioned(patterns: readonly string[]): readonly string[] {
  const before = unversioned.get(patterns);
  if (before !== undefined) return before;
  const made = patterns.filter((each) => !each.endsWith('*')).map((each) => fold(each).replace(/-latest$/, ''));
  unversioned.set(patterns, made);
  return made;
}

/**
 * Whether a model is of one of a list's patterns: by its whole name, as one of its dated versions or the latest, behind a routed prefix, or
 * as a fine-tuned one of it. A variant such as `-mini` is another model. `allow`, `deny` and answers compare by this alone.
 * @param patterns each a name, or its beginning and `*`
 */
export function isModelListed(patterns: readonly string[], model: string): boolean {
  if (patterns.length === 0) return false;
  const { names, bases } = know(model);
  const whole = listUnversioned(patterns);
  return names.some((name) => isListed(patterns, name)) || bases.some((name) => isListed(whole, name));
}
