const sentences = [
  'Here is how I would look at it.',
  'The part about {topic} matters most, because everything else depends on it.',
  'Start with {topic}, measure it for a week, and only then change the next thing.',
  'Two options are realistic: keep {topic} as it is and document it, or replace it in small steps.',
];

/** Longer questions are read up to here, in UTF-16 units. */
const maxRead = 10_000;

/** A few sentences about the question's longest words. @param leastWords how long it must be: it is said again until then */
export function composeAnswer(question: string, leastWords: number): string {
  const words = question.slice(0, maxRead).match(/\p{L}{5,24}/gu) ?? [];
  const topics = [...new Set(words)].sort((a, b) => b.length - a.length);
  const said = sentences.map((each, at) => each.replace('{topic}', () => topics[at - 1] ?? topics[0] ?? 'the request'));
  const text = said.join(' ');
  return Array.from({ length: Math.max(1, Math.ceil(leastWords / text.split(' ').length)) }, () => text).join(' ');
}
