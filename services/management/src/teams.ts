import { isDeepStrictEqual } from 'node:util';
import { type Team, toTeamPrefix, writeTeam } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import type { z } from 'zod';
import { parseInput } from './requests.ts';

interface ForLabels {
  name: string;
  match?: { labels?: Record<string, string[]> | undefined } | undefined;
}

/**
 * A policy or budget that a team may write: for its agents alone, under a name of its own. Without a team it stays as it is.
 * @throws ApiError `invalid_parameter` for another name, a match of other agents, or what is too long with the team's labels
 */
export function joinTeam<Written extends ForLabels>(
  written: Written,
  team: Team | null | undefined,
  schema: z.ZodType<Written>,
): Written {
  if (!team) return written;
  const prefix = toTeamPrefix(team);
  if (!written.name.startsWith(prefix))
    throw new ApiError('invalid_parameter', `name: must begin with ${prefix}, for the team ${writeTeam(team)}`);
  const given = written.match?.labels ?? {};
  const labels = Object.fromEntries(Object.entries(team).map(([name, value]) => [name, [value]]));
  const other = Object.keys(labels).find(
    (name) => Object.hasOwn(given, name) && !isDeepStrictEqual(given[name], labels[name]),
  );
  if (other !== undefined)
    throw new ApiError(
      'invalid_parameter',
      `match.labels.${other}: must be ${team[other]}, for the team ${writeTeam(team)}`,
    );
  return parseInput(schema, { ...written, match: { ...written.match, labels: { ...given, ...labels } } }, 'body');
}

/** @throws ApiError `installation_only` if a team would change what is not its own */
export function assureOwn<Row extends { team: Team | null }>(row: Row, team: Team | null | undefined): Row {
  if (team && !isDeepStrictEqual(row.team, team)) throw new ApiError('installation_only');
  return row;
}
