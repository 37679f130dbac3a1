import { z } from 'zod';
import { labelName, notCharged } from '../labels.ts';

const maxTeamLabels = 5;

/** Without what policies take for a pattern or for another case of a value, and what names cannot hold. */
const teamValue = /^[a-z0-9][a-z0-9_-]*$/;
/** Of all values together, so that names that begin with them are left room. */
const maxPrefix = 40;

/** Whose view of the installation a key or session has: of the agents with all of these labels. */
export const teamSchema = z
  .record(
    z
      .string()
      .regex(labelName)
      .refine((name) => !notCharged.includes(name), `must be none of ${notCharged.join(', ')}`),
    z.string().regex(teamValue, 'must be of a-z, 0-9, _ and -, first a letter or digit'),
  )
  .refine((team) => Object.keys(team).length > 0, 'must hold a label')
  .refine((team) => Object.keys(team).length <= maxTeamLabels, `must hold at most ${maxTeamLabels} labels`)
  .refine(
    (team) => Object.values(team).join('.').length < maxPrefix,
    `must hold values of less than ${maxPrefix} characters in all`,
  )
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
  Object.values(team)
    .map((value) => `${value}.`)
    .join('');

/** As people write it: `team=search`. */
export const writeTeam = (team: Team): string =>
  Object.entries(team)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
