import type { Draws } from './draws.ts';

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

const dullWords = new Set(
  'about after again could every explain hello please should their there these thing think those where which would write'.split(
    ' ',
  ),
);

/** Longer questions are read up to here, in UTF-16 units. */
const maxRead = 10_000;

/** The longer words of a question, each once. */
export function topicsOf(question: string): string[] {
  const words =
    question
      .slice(0, maxRead)
      .toLowerCase()
      .match(/\p{L}{5,24}/gu) ?? [];
  const topics = [...new Set(words)].filter((word) => !dullWords.has(word));
  return topics.length > 0 ? topics : ['the request'];
}

/**
 * Writes a few sentences about the question's own words.
 *
 * @param leastWords how long it must be; it goes on about the same words until then
 */
export function composeAnswer(question: string, draws: Draws, leastWords: number): string {
  const topics = topicsOf(question);
  const sentences = [draws.from(openings)];
  const count = draws.from([2, 3, 3, 4]);
  let left = [...bodies];
  let words = 0;
  for (let index = 0; index < count || words < leastWords; index += 1) {
    if (left.length === 0) left = [...bodies];
    const body = draws.from(left);
    left.splice(left.indexOf(body), 1);
    const sentence = body.replace('{topic}', () => draws.from(topics));
    sentences.push(sentence);
    words += sentence.split(' ').length;
  }
  sentences.push(draws.from(closings));
  return sentences.join(' ');
}
