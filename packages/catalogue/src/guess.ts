import type { ModelInfo } from '@pydantic/genai-prices';

type Rule = ModelInfo['match'];

/** A unit that stands in lists of what has no price for a model that is charged as an older one whose name begins alike. */
export const ownPrice = 'own_price';

const words = '(?:[-@](?:latest|preview|exp|experimental|default|instruct|chat|it|v\\d))*';
const day = '(?:20\\d{6}|20\\d\\d-\\d\\d-\\d\\d|\\d\\d-20\\d\\d|\\d\\d-\\d\\d|\\d{3,4})';
const edition = new RegExp(`^${words}(?:[-@]${day}${words})?(?:-v?\\d+:\\d+|:\\d+)?$`);

/** Whether a name is another's, or a dated edition of it: another version of a model is neither. */
export const isEdition = (of: string, name: string): boolean =>
  name.startsWith(of) && edition.test(name.slice(of.length));

/** Beginnings that end so are those of a family, whose members cost the same. */
const family = /-(?:20\d\d)?$|^ft:|^gemma/;

type Match = 'none' | 'guess' | 'sure';

const readText = (text: string, at: number, name: string): Match => {
  if (at < 0) return 'none';
  return family.test(text) || edition.test(name.slice(at + text.length)) ? 'sure' : 'guess';
};

function read(rule: Rule, name: string): Match {
  if ('or' in rule) {
    const found = rule.or.map((each) => read(each, name));
    return found.includes('sure') ? 'sure' : found.includes('guess') ? 'guess' : 'none';
  }
  if ('and' in rule) {
    const found = rule.and.map((each) => read(each, name));
    return found.includes('none') ? 'none' : found.includes('guess') ? 'guess' : 'sure';
  }
  if ('starts_with' in rule) return readText(rule.starts_with, name.startsWith(rule.starts_with) ? 0 : -1, name);
  if ('contains' in rule) return readText(rule.contains, name.lastIndexOf(rule.contains), name);
  if ('equals' in rule) return rule.equals === name ? 'sure' : 'none';
  if ('ends_with' in rule) return name.endsWith(rule.ends_with) ? 'sure' : 'none';
  return new RegExp(rule.regex).test(name) ? 'sure' : 'none';
}

/** Whether the library found a model by a part of its name alone, as it finds `claude-sonnet-5-5` by `claude-sonnet-5`. */
export const isGuess = ({ match }: ModelInfo, name: string): boolean => read(match, name.toLowerCase()) === 'guess';
