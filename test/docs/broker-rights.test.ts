import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsPermissions, natsUsers } from '@agp/bus/permissions';
import { redisPermissions, redisUsers } from '@agp/reservations/permissions';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';

const page = readFileSync(join(workspaceFolder, 'docs/security.md'), 'utf8');
const section = page.split(/^## /m).find((each) => each.startsWith('Who may do what on NATS and Redis')) ?? '';

/** The cells of each row of a table, by the user that the row is about. */
function readTable(firstCell: string): Map<string, string[]> {
  const lines = section.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${firstCell} |`));
  const rows = lines.slice(start + 2, lines.indexOf('', start));
  return new Map(rows.map((row) => [/`(\w+)`/.exec(row)?.[1] ?? '', row.split('|').slice(2, -1)]));
}

const readNames = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort();
const upper = (commands: Iterable<string>) =>
  [...commands].map((command) => command.toUpperCase().replace('|', ' ')).sort();

test('the page names the keys and commands of each Redis user, and no others', () => {
  const rows = readTable('Redis user');
  const connecting = new Set(
    redisUsers.map((user) => new Set(redisPermissions[user].commands)).reduce((one, other) => one.intersection(other)),
  );
  const releasing = new Set(redisPermissions.writer.commands);
  const stated = /beside those of connecting \((.*?)\)/.exec(section)?.[1];
  const ofConnecting = new Set(readNames(stated));
  expect([...ofConnecting].filter((command) => !upper(connecting).includes(command))).toEqual([]);
  for (const user of redisUsers) {
    const { keys, commands } = redisPermissions[user];
    const [keyCell, commandCell] = rows.get(user) ?? [];
    expect(readNames(keyCell), user).toEqual(keys.map((key) => `${key}*`).sort());
    const meant =
      user === 'management'
        ? [...readNames(commandCell), ...upper(releasing).filter((command) => !ofConnecting.has(command))]
        : readNames(commandCell);
    expect(meant.sort(), user).toEqual(upper(commands).filter((command) => !ofConnecting.has(command)));
  }
});

test('the page names every subject of each NATS user', () => {
  const rows = readTable('NATS user');
  for (const user of natsUsers) {
    const [publish = '', subscribe = ''] = rows.get(user) ?? [];
    expect(readNames(subscribe), user).toEqual([...natsPermissions[user].subscribe].sort());
    for (const subject of natsPermissions[user].publish) {
      // `$JS.API.STREAM.INFO.AGP_EVENTS` is told as its three parts.
      const [, kind, action = '', stream = ''] = /^(\$JS\.API\.\w+\.)(.+)\.(AGP_\w+)(?:\.\w+)?$/.exec(subject) ?? [];
      const parts = kind
        ? [kind, action, ...(kind.includes('STREAM') ? [stream] : [])]
        : [subject.startsWith('$JS.ACK') ? '$JS.ACK' : subject];
      for (const part of parts) expect(publish, `${user} ${subject}`).toContain(`\`${part}`);
    }
    if (natsPermissions[user].publish.length === 0) expect(publish.trim()).toBe('nothing');
  }
});
