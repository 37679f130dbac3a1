import { writeText } from '@agp/documents/yaml';
import { describe, expect, test } from 'vitest';
import { readPolicy } from './policy-yaml.ts';

describe('a text that is no policy has its faults at their places', () => {
  test.each([
    ['name: interns\nmode: enforced\n', ['enforced:mode:must be one of observe, warn, enforce']],
    ['name: interns\nmodles:\n  allow: [a]\n', ['modles:modles:no such member here']],
    ['name: x\nmodels:\n  allow: [a, "b*c"]\n', ['"b*c":models.allow.1:may hold * at its end alone']],
    ['name: x\ntools:\n  client:\n    deyn: [a]\n', ['deyn:deyn:no such member here', 'client:tools.client:must hold']],
    ['name: x\nlimits:\n  over: lower\n', ['limits:limits:must hold a limit']],
    ['name: x\nhours: { allow: Mon 9-5, zone: Moon }\n', ['Mon 9-5:hours.allow:must be such as', 'Moon:hours.zone:']],
    ['name: x\nname: y\n', ['n:Map keys must be unique']],
    ['name: [\n', [':Flow sequence']],
    ['mode: warn\n', ['mode: warn:name:is missing']],
    ['', [':policy:']],
  ])('%j', (text, expected) => {
    const { policy, faults } = readPolicy(text);
    expect(policy).toBeNull();
    const shown = faults.map(({ from, to, message }) => `${text.slice(from, to)}:${message.replace(': ', ':')}`);
    expect(shown).toHaveLength(expected.length);
    for (const [index, fault] of shown.entries()) expect(fault).toContain(expected[index]);
  });
});

test('a stored policy is written so that it reads the same, and no alias makes much of little', () => {
  const { policy } = readPolicy('name: x\nuntil: 2027-01-31\nrefusal: "Ask #ai-gov"\nmatch: { tags: ["1", "true"] }\n');
  expect(policy).toMatchObject({ until: '2027-01-31', refusal: 'Ask #ai-gov', match: { tags: ['1', 'true'] } });
  expect(readPolicy(writeText(policy ?? {})).policy).toEqual(policy);
  const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`}, *a]\n`).join('')}`;
  expect(readPolicy(bomb).policy).toBeNull();
});
