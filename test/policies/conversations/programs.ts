import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodingAgent } from '@agp/testing';
import { expect, onTestFinished } from 'vitest';
import { configure, runCodingAgent } from '../../wire/clients/coding-agents.ts';
import { models } from '../../wire/sdks/conversation.ts';
import type { Client } from './clients.ts';

/** A tool that writes down what arrives at it. */
const sendMailScript = `#!/bin/sh
echo "$1" >> sent
echo "{\\"sent_to\\": \\"$1\\"}"
`;

/** Each turn is a process that goes on from what the one before left on the disk; the second address is in a file that it reads. */
const ofProgram =
  (program: CodingAgent, toArgs: (prompt: string, isFirst: boolean) => string[]): Client['open'] =>
  ({ baseUrl, headers: { 'x-agent-name': agent = '', ...headers } }, sendMail) => {
    const home = mkdtempSync(join(tmpdir(), 'agp-talk-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const environment = configure[program](new URL(baseUrl).origin, home, agent, headers);
    for (const file of ['CLAUDE.md', 'AGENTS.md'])
      writeFileSync(join(home, file), 'Questions go to admin@example.com.\n');
    writeFileSync(join(home, 'send-mail'), sendMailScript, { mode: 0o755 });
    let turn = 0;
    return async (text) => {
      turn += 1;
      const [, second = ''] = text.match(/\S+@[\w.]+/g) ?? [];
      const note = join(home, `${turn}.note`);
      writeFileSync(note, `A copy goes to ${second}.\n`);
      writeFileSync(join(home, 'sent'), '');
      const prompt = text.replace(second, `whom ${note} names`);
      const { code, shown, errors } = await runCodingAgent(program, toArgs(prompt, turn === 1), home, environment);
      expect(code, shown + errors).toBe(0);
      readFileSync(join(home, 'sent'), 'utf8').trim().split('\n').forEach(sendMail);
      return shown.trim();
    };
  };

/** The mail to the address of the prompt and the reading of the file at once, then the mail to the address of the file. */
const requests = 3;

/** With a model that it knows: of others it asks for no thoughts. */
const ofCodex = (model: string) => (prompt: string, isFirst: boolean) => [
  ...['exec', ...(isFirst ? [] : ['resume', '--last'])],
  ...['--skip-git-repo-check', '--model', model, prompt],
];

export const programs: Client[] = [
  {
    ...{ name: 'Claude Code', provider: 'anthropic', requests },
    open: ofProgram('claude', (prompt, isFirst) => [
      ...['-p', prompt, '--model', models.anthropic, '--allowedTools', 'Bash', 'Read'],
      ...(isFirst ? [] : ['--continue']),
    ]),
  },
  { ...{ name: 'Codex', provider: 'openai', requests }, open: ofProgram('codex', ofCodex('gpt-5.5')) },
  {
    ...{ name: 'Codex with a model that writes programs', provider: 'openai', requests },
    open: ofProgram('codex', ofCodex('gpt-6.2-sol')),
  },
];
