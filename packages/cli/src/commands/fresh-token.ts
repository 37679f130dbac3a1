import { toLineText } from '@agp/core/text';
import { maxTokenLength } from '@agp/identities';
import type { Command } from 'commander';
import { z } from 'zod';
import { readUrl } from '../api.ts';
import { addCommand } from '../arguments.ts';
import { askProxy, tryParse } from '../ask-proxy.ts';
import { CliError } from '../cli-error.ts';
import type { Shell } from '../shell.ts';
import { formatTime } from '../table.ts';

/** RFC 8693, sections 2.2.1 and 2.2.2. */
const answerSchema = z.object({
  access_token: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

/** @throws CliError if the token is a JWT that has ended, so that no client sends it again and again */
function assureFresh(token: string): void {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const end = z.object({ exp: z.number() }).safeParse(tryParse(claims)).data?.exp ?? Number.POSITIVE_INFINITY;
  if (end * 1_000 > Date.now()) return;
  throw new CliError(`The token ended at ${formatTime(new Date(end * 1_000).toISOString())} UTC: nothing renewed it.`);
}

/** @throws CliError with what the proxy said, never with the token */
async function exchangeToken(url: string, token: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  });
  const { status, json } = await askProxy(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token: given, error, error_description: why } = answerSchema.safeParse(json).data ?? {};
  if (status === 200 && given !== undefined) return given;
  const said = [error, why].filter(Boolean).join(': ');
  throw new CliError(`${url}/oauth/token answered ${status}: ${toLineText(said) || "is it the proxy's address?"}`);
}

/** `token`: for clients that ask a command for their key. */
export function addTokenCommand(program: Command, shell: Shell): void {
  const summary = 'print the fresh token of this workload, for clients that ask a command for their key';
  addCommand(program, 'token', summary, 'token --file /var/run/secrets/agp/token')
    .option('--file <file>', 'the file that holds it, read anew each time; AGP_TOKEN_FILE if it is not given')
    .option('--exchange <url>', 'the proxy, which gives an agent token of at most an hour for it')
    .action(async ({ file, exchange }: { file?: string; exchange?: string }) => {
      const url = exchange && readUrl(exchange, '--exchange');
      const token = shell.readSecret('AGP_TOKEN', file);
      if (token.length > maxTokenLength) throw new CliError(`The token is longer than ${maxTokenLength} characters.`);
      assureFresh(token);
      await shell.terminal.print(url ? await exchangeToken(url, token) : token);
    });
}
