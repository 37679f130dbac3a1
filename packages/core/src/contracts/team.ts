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

/** As people write it: `team=search`. */
export const writeTeam = (team: Team): string =>
  Object.entries(team)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
