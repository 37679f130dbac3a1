import { z } from 'zod';
import { labelName, notCharged } from '../labels.ts';

const maxTeamLabels = 5;

/** Policies and budgets choose by values in any case, and by beginnings with `*`: a team of one must not be two of others. */
const teamValue = /^(?! )(?=.*[a-z0-9])[^\p{C}\p{Lu}*]{1,256}(?<! )$/u;

/** Whose view of the installation a key or session has: of the agents with all of these labels. */
export const teamSchema = z
  .record(
    z
      .string()
      .regex(labelName)
      .refine((name) => !notCharged.includes(name), `must be none of ${notCharged.join(', ')}`),
    z
      .string()
      .regex(teamValue, 'must be up to 256 printable characters, without capitals and *, with a letter or digit'),
  )
  .refine((team) => Object.keys(team).length > 0, 'must hold a label')
  .refine((team) => Object.keys(team).length <= maxTeamLabels, `must hold at most ${maxTeamLabels} labels`)
  .meta({ id: 'Team', description: 'The agents with all of these labels', example: { team: 'search' } });

export type Team = z.infer<typeof teamSchema>;

const split = (word: string): [string, string] => {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
};

/** A team as people write it, a word for each label: `team=search`. */
export const teamWordsSchema = z
  .array(z.string().regex(/^[^=]+=/, 'must be a label such as team=search'))
  .refine((words) => new Set(words.map((word) => split(word)[0])).size === words.length, 'must not repeat a label')
  .transform((words) => Object.fromEntries(words.map(split)))
  .pipe(teamSchema);

/** What names of a team's policies and budgets begin with, so that teams do not meet in each other's: `search.` */
export const toTeamPrefix = (team: Team): string =>
  `${(Object.values(team)[0] ?? '').replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}.`;

/** As people write it: `team=search`. */
export const writeTeam = (team: Team): string =>
  Object.entries(team)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
