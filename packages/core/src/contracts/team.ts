import { z } from 'zod';
import { labelName, labelValue } from '../labels.ts';

const maxTeamLabels = 5;

/** Whose view of the installation a key or session has: of the agents with all of these labels. */
export const teamSchema = z
  .record(z.string().regex(labelName), z.string().regex(labelValue))
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

/** As people write it: `team=search`. */
export const writeTeam = (team: Team): string =>
  Object.entries(team)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
