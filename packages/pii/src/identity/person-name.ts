import type { Detector, Report } from '../detector.ts';
import { isWordUnit, matchAt } from '../text/characters.ts';

/** Titles, and other words right before a person's name. Each begins where a word does, and the name with a capital letter. */
const introduction =
  /\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Madam|Herr|Frau|Señora?|Sra?|Mme|Monsieur|Madame|Signora?|Mister)\b\.?[ \u00a0]|\b(?:[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|[Mm]aiden|[Ff]ull|[Ll]ast|[Ff]irst|[Pp]artner's|[Cc]hild's) name(?: is|'s)?:? |\b(?:I am|I'm|[Tt]his is|[Cc]all me|named (?:him|her|them)|[Ss]igned(?: by)?:?|[Rr]egards,|[Ss]incerely,|[Cc]heers,|[Dd]ear|[Hh]i|[Hh]ello|[Ff]ollow up with|[Ss]peak (?:to|with)|directed by|founded by|sung by|written by|starring|[Aa]uthor:?|[Nn]ame:|[Cc]ontact:|[Aa]ttn:?|[Pp]atient:?|[Cc]ustomer:?)[ \n]/g;

/** One to four words with capitals, including initials, hyphens, apostrophes and small words such as `van`. */
const name =
  /\p{Lu}(?:\p{Ll}|['’-]\p{L}){1,24}(?: (?:\p{Lu}(?:\.|(?= ))|(?:van|von|de|der|den|da|di|del|la|el|al|bin|ten)(?= ))){0,2}(?: {1,2}\p{Lu}(?:\p{L}|['’-]\p{L}){1,24}){0,2}/uy;

/** Capitalised words behind the introductions above that are not names. */
const notNames =
  /^(?:Mr|Mrs|Ms|Miss|Dr|Prof|The|This|That|These|Those|My|Your|Our|We|You|He|She|It|They|There|Here|What|When|Where|Who|Why|How|Not|No|Yes|And|But|Or|If|In|On|At|For|From|To|With|All|Everyone|Team|Sir|Madam|Support|Customer|Hiring|Manager|Friends?|Folks|World|Claude|ChatGPT|GPT|Gemini|English|American|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|June|July|August|September|October|November|December|Just|Also|Please|Thanks|Thank|Can|Could|Would|Is|Are|Do|Does|Sorry|Well|Now|Then|So|As|An?)\b/;

/** Finds names of persons by the words that introduce them. Most names have none, so it finds few of those in a text. */
export const personNameDetector: Detector = {
  types: ['person_name'],
  find({ value }, report) {
    introduction.lastIndex = 0;
    while (introduction.test(value)) reportName(value, introduction.lastIndex, report);
  },
};

function reportName(text: string, at: number, report: Report): void {
  if (!matchAt(name, text, at)) return;
  const end = name.lastIndex;
  if (isWordUnit(text.charCodeAt(end)) || notNames.test(text.slice(at, end))) return;
  report('person_name', at, end);
}
