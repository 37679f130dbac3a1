/**
 * How a member of a request affects what the call may cost:
 *
 * - `free`: not at all
 * - `text`: input of at most as many tokens as bytes
 * - `content`: input; parts of it may only name what the model reads: pictures, files, earlier answers
 * - `items`: the same, each item an input of its own
 * - `prompts`: text; several texts are answered one by one
 * - `spoken`: text that is turned into speech
 * - `media`: sound, pictures or a file
 * - `reference`: the id of something stored at the provider
 * - `bound`: an output limit that this API enforces
 * - `answers`: how many answers are written
 * - `thinking`: how long the model may think in addition
 * - `prediction`: text; the parts of it that the answer does not contain are billed as output
 * - `settings`: an object with a table of its own
 * - `model`, `models`: which model may answer
 * - `tier`, `speed`, `region`, `modalities`, `picture-size`, `picture-format`: the price of the output
 * - `tools`, `tool-calls`: what the provider may run for the model, and how often
 * - `clearing`: what is removed from a long conversation
 */
export type CostRule =
  | 'free'
  | 'text'
  | 'content'
  | 'items'
  | 'prompts'
  | 'spoken'
  | 'media'
  | 'reference'
  | 'bound'
  | 'answers'
  | 'thinking'
  | 'prediction'
  | 'settings'
  | 'model'
  | 'models'
  | 'tier'
  | 'speed'
  | 'region'
  | 'modalities'
  | 'picture-size'
  | 'picture-format'
  | 'tools'
  | 'tool-calls'
  | 'clearing';

/** Members by their names in snake_case; a name that is missing is unknown. */
export type CostRules = Readonly<Record<string, CostRule>>;

/** The members that requests of one operation may have. */
export interface CostFields {
  members: CostRules;
  /** The members of the settings object; absent where the API has none. */
  settings?: CostRules;
  /** The kind of answer, which decides how long it may be without a bound. */
  writes: 'text' | 'pictures' | 'nothing';
  /** Names may be in camelCase, too. */
  isEitherCase?: boolean;
  /** Requests may come as forms, with files in them. */
  mayBeForm?: boolean;
}

/**
 * Makes a table of rules.
 *
 * @param names for each rule the names of its members, separated by spaces
 * @param others tables to include
 */
export function rules(names: Partial<Record<CostRule, string>>, ...others: readonly CostRules[]): CostRules {
  const own = Object.entries(names).flatMap(([rule, list]) =>
    list
      .trim()
      .split(/\s+/)
      .map((name) => [name, rule as CostRule]),
  );
  return Object.assign({}, ...others, Object.fromEntries(own));
}

/**
 * Names by which some server bounds or multiplies output. Unless the API documents that it enforces the member, it can raise the
 * bound but not lower it.
 */
export const rivals: CostRules = rules({
  bound: `max_tokens max_completion_tokens max_output_tokens max_new_tokens max_gen_len max_length max_tokens_to_sample
    max_generated_tokens max_decoded_tokens min_tokens min_new_tokens min_length num_predict n_predict output_tokens`,
  answers: `n best_of candidate_count num_candidates num_images n_images number_of_images num_outputs
    num_return_sequences num_generations num_completions num_samples sample_count batch_size`,
  thinking: 'thinking reasoning thinking_config thinking_budget budget_tokens reasoning_budget',
  model: 'model',
  models: 'models',
  settings: 'generation_config parameters options extra_body inference_config sampling_params config',
});

/** A name as lenient servers compare it: without case, and in snake_case or camelCase alike. */
export function foldName(name: string): string {
  // Upper case first: it turns the long s and the Kelvin sign into plain letters.
  return name.toUpperCase().toLowerCase().replace(/[_-]/g, '');
}

/** `maxOutputTokens` becomes `max_output_tokens`; snake_case is left as it is. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
