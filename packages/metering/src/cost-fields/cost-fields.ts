/**
 * How a member of a request bears on what the call may cost:
 *
 * - `free`: not at all
 * - `text`: the model reads it, and no more than it has bytes
 * - `content`: the model reads it, and parts of it may only name what is read: pictures, files, earlier answers
 * - `items`: the same, each item an input of its own
 * - `prompts`: text; several texts are answered one by one
 * - `spoken`: text that is made sound of
 * - `media`: sound, pictures or a file
 * - `reference`: names what the provider has
 * - `bound`: bounds the output, which this API holds to
 * - `answers`: how many answers are written
 * - `thinking`: says how long the model may think, besides
 * - `prediction`: text, of which what does not come true is billed as output
 * - `settings`: an object with a table of its own
 * - `model`, `models`: who may answer
 * - `tier`, `speed`, `region`, `modalities`, `picture-size`, `picture-format`: what the output costs
 * - `tools`, `tool-calls`: what the provider may do for the model, and how often
 * - `clearing`: what is taken out of a long conversation
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

/** Members by their names in snake_case; whatever is not in here is not known. */
export type CostRules = Readonly<Record<string, CostRule>>;

/** What requests of one operation may hold. */
export interface CostFields {
  members: CostRules;
  /** The members of an object of settings within; none where there is no such object. */
  settings?: CostRules;
  /** What the answer is, which tells how long it may be where nothing bounds it. */
  writes: 'text' | 'pictures' | 'nothing';
  /** Names may be in camelCase, too. */
  isEitherCase?: boolean;
  /** Requests may come as forms, with files in them. */
  mayBeForm?: boolean;
}

/** Gives each of some names, which stand with spaces between, the same rule. */
export function each(rule: CostRule, names: string): CostRules {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, rule]),
  );
}

/**
 * Names that some server bounds or multiplies output by. Where an API does not say that it holds to one, it takes no
 * bound off, and may only ask for more.
 */
export const rivals: CostRules = {
  ...each(
    'bound',
    `max_tokens max_completion_tokens max_output_tokens max_new_tokens max_gen_len max_length max_tokens_to_sample
     max_generated_tokens max_decoded_tokens min_tokens min_new_tokens min_length num_predict n_predict output_tokens`,
  ),
  ...each(
    'answers',
    `n best_of candidate_count num_candidates num_images n_images number_of_images num_outputs num_return_sequences
     num_generations num_completions num_samples sample_count batch_size`,
  ),
  ...each('thinking', 'thinking reasoning thinking_config thinking_budget budget_tokens reasoning_budget'),
  ...each('model', 'model'),
  ...each('models', 'models'),
  ...each('settings', 'generation_config parameters options extra_body inference_config sampling_params config'),
};

/** A name as lenient servers compare it: without case, and in snake_case or camelCase alike. */
export function foldName(name: string): string {
  // Upper case first: that is where long s and the sign of Kelvin become plain letters.
  return name.toUpperCase().toLowerCase().replace(/[_-]/g, '');
}

/** `maxOutputTokens` as `max_output_tokens`; what is in snake_case stays. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
