import { isDeepStrictEqual } from 'node:util';
import { type Team, toTeamPrefix, writeTeam } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';

interface ForLabels {
  name: string;
  match?: { labels?: Record<string, string[]> | undefined } | undefined;
}

/**
 * A policy or budget that a team may write: for its agents alone, under a name of its own. Without a team it stays as it is.
 * @throws ApiError `invalid_parameter` for another name, or a match of other agents
 */
export function joinTeam<Written extends ForLabels>(written: Written, team: Team | null | undefined): Written {
  if (!team) return written;
  const prefix = toTeamPrefix(team);
  if (!written.name.startsWith(prefix))
    throw new ApiError('invalid_parameter', `name: must begin with ${prefix}, for the team ${writeTeam(team)}`);
  const given = written.match?.labels ?? {};
  const labels = Object.fromEntries(Object.entries(team).map(([name, value]) => [name, [value]]));
  const other = Object.keys(labels).find(
    (name) => given[name] !== undefined && !isDeepStrictEqual(given[name], labels[name]),
  );
  if (other !== undefined)
    throw new ApiError(
      'invalid_parameter',
      `match.labels.${other}: must be ${team[other]}, for the team ${writeTeam(team)}`,
    );
  return { ...written, match: { ...written.match, labels: { ...given, ...labels } } };
}

/** @throws ApiError `installation_only` if a team would change what is not its own */
export function assureOwn<Row extends { team: Team | null }>(row: Row, team: Team | null | undefined): Row {
  if (team && !isDeepStrictEqual(row.team, team)) throw new ApiError('installation_only');
  return row;
}
