import { isDeepStrictEqual } from 'node:util';
import { formatCount } from '@agp/core/explain';
import { toLineText } from '@agp/core/text';
import { writeText } from '@agp/documents/yaml';
import {
  type Identity,
  identitySchema,
  maxTokenLength,
  type StoredIdentity,
  storedIdentityListSchema,
  storedIdentitySchema,
  type TriedToken,
  triedTokenSchema,
} from '@agp/identities';
import type { Command } from 'commander';
import { addApplyCommands, addGet, type Kind } from '../apply-files.ts';
import { addCommand } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { addList } from '../list.ts';
import { readInput } from '../read-files.ts';
import type { Shell } from '../shell.ts';
import { formatTime, timeColumn } from '../table.ts';

const path = '/api/v1/identities';

const kind: Kind<Identity, StoredIdentity> = {
  ...{ noun: 'identity', plural: 'identities', path, listPath: path },
  ...{ list: storedIdentityListSchema, one: storedIdentitySchema, schema: identitySchema },
  declaredBy: ({ identity }) => identity,
  toYaml: ({ text, identity }) => text ?? writeText(identity),
  isSame: (stored, { text }) => stored.text === text,
  toBody: ({ text }) => text,
  // Their values are long: diff shows them.
  describeChange: ({ identity }, wanted) => {
    const names = Object.keys({ ...identity, ...wanted }) as (keyof Identity)[];
    return `, ${names.filter((name) => !isDeepStrictEqual(identity[name], wanted[name])).join(', ') || 'its text'}`;
  },
  preview: async () => [],
};

const readResult = ({ identity, rule, agent, agent_id, labels, ...tried }: TriedToken): [string, string][] => [
  ['issuer', identity ?? '-'],
  ['rule', rule ?? '-'],
  ['agent', agent === null ? '-' : `${toLineText(agent)} (${agent_id ?? 'made by its first request'})`],
  [
    'labels',
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ') || '-',
  ],
  ['compliance tag', tried.compliance_tag ?? '-'],
  ['ends', formatTime(tried.expires_at)],
];

/** `identities`: whose tokens prove which workload an agent is. */
export function addIdentityCommands(program: Command, shell: Shell): void {
  const identities = program.command('identities').description('issuers whose tokens prove which workload an agent is');
  addList(identities, shell, 'list', 'list all issuers', {
    ...{ path, schema: storedIdentityListSchema },
    columns: [
      { head: 'IDENTITY', cell: ({ identity }) => identity.name, least: 12 },
      { head: 'ISSUER', cell: ({ identity }) => identity.issuer, least: 16 },
      { head: 'AUDIENCES', cell: ({ identity }) => identity.audiences.join(', '), least: 8, spare: 1 },
      { head: 'RULES', cell: ({ identity }) => identity.rules.map(({ name }) => name).join(', '), least: 8 },
      { head: 'VERSION', right: true, cell: ({ version }) => formatCount(version), spare: 3 },
      { ...timeColumn('CHANGED', 'updated_at'), spare: 2 },
    ],
  });
  addGet(identities, shell, kind, 'show');
  addApplyCommands(identities, shell, kind);
  addCommand(
    identities,
    'try',
    'say which agent a token from standard input is, or what is missing; nothing is stored; exit code 1 if it proves no agent',
    'identities try',
  ).action(async () => {
    const answer = await shell.api.send(
      'POST',
      `${path}/try`,
      { token: (await readInput('token', maxTokenLength)).trim() },
      triedTokenSchema,
    );
    await shell.showFields(answer, readResult);
    const { problem, identity } = answer.data;
    const told = identity === null ? 'It proves no agent' : 'It would be refused';
    if (problem !== null) throw new CliError(`${told}: ${toLineText(problem)}`);
  });
}
