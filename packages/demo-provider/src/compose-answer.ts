import { createHash } from 'node:crypto';
import { splitTokens } from './count-tokens.ts';

const openings = [
  'Good question.',
  'Here is how I would look at it.',
  'Short answer first: yes, with care.',
  'Let us take it step by step.',
  'I checked what you sent, and this is what stands out.',
  'Thanks, that is enough to go on.',
];
const bodies = [
  'The part about {topic} matters most, because everything else depends on it.',
  'Start with {topic}, measure it for a week, and only then change the next thing.',
  'Two options are realistic: keep {topic} as it is and document it, or replace it in small steps.',
  'In most teams {topic} fails for a dull reason, such as a missing owner, rather than a technical one.',
  'A simple table of {topic} by day would show the trend better than a long report.',
  'I would set a limit on {topic} first, and raise it once the figures are steady.',
  'If {topic} grows by a third, the present set-up still holds; beyond that it needs a second pair of eyes.',
  'Nothing in {topic} looks urgent, but it should not wait until the next quarter either.',
];
const closings = [
  'Tell me which of these you would like worked out.',
  'I can draft the message to the team if that helps.',
  'The next step is small: pick one and try it tomorrow.',
  'If you share last month’s figures, I can be more precise.',
];

/** Random choices that depend on the seed only: the same request always gets the same answer. */
function startDraws(seed: string): <Item>(items: readonly Item[]) => Item {
  let block = createHash('sha256').update(seed).digest();
  let offset = 0;
  return (items) => {
    if (offset + 4 > block.length) {
      block = createHash('sha256').update(block).digest();
      offset = 0;
    }
    const item = items[block.readUInt32BE(offset) % items.length];
    offset += 4;
    if (item === undefined) throw new RangeError('nothing to draw from');
    return item;
  };
}

const dullWords = new Set(
  'about after again could every explain hello please should their there these thing think those where which would write'.split(
    ' ',
  ),
);

function topicsOf(question: string): string[] {
  const words = question.toLowerCase().match(/\p{L}{5,24}/gu) ?? [];
  const topics = [...new Set(words)].filter((word) => !dullWords.has(word));
  return topics.length > 0 ? topics : ['the request'];
}

export interface ComposedAnswer {
  text: string;
  /** The pieces in which a stream delivers the text: a word with the space before it. */
  words: string[];
  tokens: number;
  /** True if the caller's limit on output tokens cut the answer short. */
  truncated: boolean;
}

/**
 * Writes the answer to a question: a few sentences about the question's own words, the same each time.
 *
 * @param maxTokens the caller's limit on output tokens
 */
export function composeAnswer(model: string, question: string, maxTokens = Number.POSITIVE_INFINITY): ComposedAnswer {
  const draw = startDraws(`${model}\n${question}`);
  const topics = topicsOf(question);
  const sentences = [draw(openings)];
  const count = draw([2, 3, 3, 4]);
  const left = [...bodies];
  for (let index = 0; index < count; index += 1) {
    const body = draw(left);
    left.splice(left.indexOf(body), 1);
    sentences.push(body.replace('{topic}', draw(topics)));
  }
  sentences.push(draw(closings));
  const pieces = splitTokens(sentences.join(' '));
  const kept = pieces.slice(0, maxTokens);
  const text = kept.join('');
  return { text, words: text.match(/\s*\S+/g) ?? [], tokens: kept.length, truncated: kept.length < pieces.length };
}
