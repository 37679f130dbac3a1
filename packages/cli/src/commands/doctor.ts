import type { Unit } from '@agp/budgets';
import { countOf } from '@agp/core/explain';
import { escapeJson, toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { z } from 'zod';
import { readUrl } from '../api.ts';
import { addCommand } from '../arguments.ts';
import { askProxy, type ProxyAnswer } from '../ask-proxy.ts';
import { formatAmount } from '../budget-table.ts';
import { CliError } from '../cli-error.ts';
import type { Shell } from '../shell.ts';
import { type Field, formatFields, formatRate, formatTime } from '../table.ts';

const errorSchema = z.union([
  z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) }),
  z.object({ message: z.string() }).transform(({ message }) => ({ error: message })),
]);

/** What an error says, in whatever provider's form. */
function readMessage({ json, status }: ProxyAnswer): string {
  const error = errorSchema.safeParse(json).data?.error ?? `status ${status}`;
  return (typeof error === 'string' ? error : error.message).replace(/^governance proxy: /, '');
}

const text = z.string();
const names = z.array(text);
const [word, tags] = [text.nullable(), names.optional()];
const budget = { left: z.number(), amount: z.number(), unit: z.enum(['usd', 'tokens', 'requests']), window: text };
const selfSchema = z.looseObject({
  ...{ agent_id: text, agent_name: text, status: text, refused: names },
  ...{ requests_per_minute: z.number().nullable(), spent_today_usd: z.number() },
  daily_cap: z.looseObject({ usd: z.number(), left: z.number(), warns_only: z.boolean() }).nullable(),
  budgets: z.array(z.looseObject({ ...budget, name: text, zone: text, resets_at: word, on_exceeded: text, tags })),
  latest_refusals: z.array(
    z.looseObject({ at: text, reason: text, policy: word, rule: word, why: word, requests: z.number() }),
  ),
  policies: z.array(z.looseObject({ name: text, mode: text, rules: names, actions: names, tags })),
});
type Self = z.infer<typeof selfSchema>;

/** An agent's own state. @throws CliError with what the proxy says, never with the token */
async function readSelf(proxy: string, token: string): Promise<Self> {
  const answer = await askProxy(`${new URL(proxy).origin}/agents/me`, { headers: { 'x-agent-token': token } });
  const { data } = selfSchema.safeParse(answer.json);
  if (answer.status === 200 && data !== undefined) return data;
  throw new CliError(toLineText(`${isOfProxy(answer) ? '' : 'this is not the proxy: '}${readMessage(answer)}`, 1_024));
}

const isOfProxy = ({ headers }: ProxyAnswer): boolean => headers.has('x-agp-request-id');

const tellTags = (tags: string[] | undefined) =>
  tags === undefined
    ? ''
    : `; only requests with the tag ${tags.join(' or ')}, as compliance_tag of the agent's metadata, else X-Compliance-Tag, says`;

const tellLeft = (left: number, amount: number, unit: Unit) =>
  `${left <= 0 ? 'nothing' : formatAmount(left, unit)} of ${formatAmount(amount, unit)} left`;

function tellBudget({ name, left, amount, unit, window, zone, resets_at, on_exceeded, tags }: Self['budgets'][number]) {
  const span = `${window}${zone === 'UTC' ? '' : ` ${zone}`}${resets_at === null ? '' : `, anew ${formatTime(resets_at)}`}`;
  return `${name}: ${tellLeft(left, amount, unit)} (${span}), beyond it ${on_exceeded}${tellTags(tags)}`;
}

function tellPolicy({ name, mode, rules, actions, tags }: Self['policies'][number]) {
  const does = actions.length === 0 ? '' : `; may ${actions.join(', ')}`;
  return `${name} (${mode}): rules for ${rules.join(', ') || 'nothing'}${does}${tellTags(tags)}`;
}

function tellRefusal({ at, reason, policy, rule, why, requests }: Self['latest_refusals'][number]) {
  const cause = policy === null ? reason : `${reason} (${policy} ${rule}: ${why})`;
  return `${formatTime(at)} ${cause}${requests > 1 ? `, ${countOf(requests, 'request')}` : ''}`;
}

/** A line for each thing that it says. */
function listSelf({ daily_cap: cap, ...self }: Self): Field[] {
  const most = cap === null ? 'none' : `${tellLeft(cap.left, cap.usd, 'usd')}${cap.warns_only ? ', only warns' : ''}`;
  return [
    ['status', self.status],
    ['requests a minute', formatRate(self.requests_per_minute)],
    ['spent today', formatAmount(self.spent_today_usd, 'usd')],
    ['daily cap', most],
    ...self.budgets.map((each) => ['budget', tellBudget(each)] as const),
    ...self.policies.map((each) => ['policy', tellPolicy(each)] as const),
    ...self.latest_refusals.map((each) => ['refused', tellRefusal(each)] as const),
  ];
}

type Say = (state: 'good' | 'bad' | 'note', text: string) => Promise<void>;
type Dialect = 'openai' | 'anthropic' | 'gemini' | 'bedrock';

/** The variable of its key. */
const nameKey = (dialect: Dialect) =>
  dialect === 'bedrock' ? 'AWS_BEARER_TOKEN_BEDROCK' : `${dialect.toUpperCase()}_API_KEY`;

/** The header of its key, where an SDK sends a call by its base URL, and a short one. */
function makeCall(dialect: Dialect, base: string, model: string): [header: string, url: string, body: object] {
  const ending = (version: string) => (base.endsWith(version) ? base : base + version);
  const messages = [{ role: 'user', content: 'Say hi.' }];
  if (dialect === 'openai')
    return ['authorization', `${base}/chat/completions`, { model, messages, max_completion_tokens: 16 }];
  if (dialect === 'anthropic') return ['x-api-key', `${ending('/v1')}/messages`, { model, messages, max_tokens: 16 }];
  if (dialect === 'bedrock') {
    const body = { messages: [{ role: 'user', content: [{ text: 'Say hi.' }] }], inferenceConfig: { maxTokens: 16 } };
    return ['authorization', `${base}/model/${encodeURIComponent(model)}/converse`, body];
  }
  const url = `${ending('/v1beta')}/models/${encodeURIComponent(model)}:generateContent`;
  const body = { contents: [{ parts: [{ text: 'Say hi.' }] }], generationConfig: { maxOutputTokens: 16 } };
  return ['x-goog-api-key', url, body];
}

/** What SDKs of the dialect do with a base URL; null if it is as most expect it. */
function hintVersion(dialect: Dialect, base: string): string | null {
  const isVersioned = /\/v\d\w*$/.test(base);
  if (dialect === 'openai' && !isVersioned)
    return "OpenAI's SDKs add no /v1: without it in the base URL calls get 404, unless the provider's own address has it";
  return dialect !== 'openai' && isVersioned
    ? "the provider's own SDKs add the version: with it in the base URL they ask for it twice; others, such as Vercel's, need it"
    : null;
}

/** The API of the path's provider, by the form in which it refuses what no proxy takes. @throws CliError if no call can go there */
async function findDialect(base: string, say: Say): Promise<Dialect> {
  const answer = await askProxy(`${base}/models`, { headers: { 'x-agent-token': 'doctor' } });
  if (answer.headers.get('x-error-code') === 'unauthorized_agent') {
    const { type, error } = (answer.json ?? {}) as { type?: string; error?: { status?: string } };
    const isAws = answer.headers.has('x-amzn-errortype');
    const ofError = error?.status === undefined ? 'openai' : 'gemini';
    const dialect = isAws ? 'bedrock' : type === 'error' ? 'anthropic' : ofError;
    await say('good', `the proxy answers, and knows the provider of the path, which speaks as ${dialect} does`);
    return dialect;
  }
  const whose = isOfProxy(answer) ? 'the proxy answers' : 'this is not the proxy';
  await say('bad', `${whose}: ${readMessage(answer)}`);
  throw new CliError('No agent can work with this base URL.');
}

const fileOption = ['--file <file>', 'the file that holds its token, else AGP_TOKEN or AGP_TOKEN_FILE'] as const;

/** `doctor`: why an agent does not reach its model, a line a finding. */
export function addDoctorCommand(program: Command, shell: Shell): void {
  const summary = "say what is wrong with an agent's base URL and token: name, connection, provider, what refuses it";
  const find = (name: string, file?: string) =>
    (async () => shell.readSecret(name, file))().catch((error: Error) => error);
  addCommand(program, 'doctor <url>', summary, 'doctor http://127.0.0.1:8080/openai/v1')
    .option(...fileOption)
    .option('--call <model>', 'make one short call, which costs; OPENAI_API_KEY, ANTHROPIC_API_KEY ... is sent')
    .action(async (url: string, { file, call: model }: { file?: string; call?: string }) => {
      let bad = 0;
      const say: Say = async (state, text) => {
        bad += state === 'bad' ? 1 : 0;
        await shell.terminal.print(`${`${state}:`.padEnd(5)} ${toLineText(text, 2_048)}`);
      };
      const base = readUrl(url, 'the base URL');
      const provider = await findDialect(base, say);
      // Bedrock has the others' paths too.
      const [, within] = (provider === 'bedrock' && /\/(openai|anthropic)(?:\/v1)?$/.exec(base)) || [];
      const dialect = within === 'openai' || within === 'anthropic' ? within : provider;
      const hint = hintVersion(dialect, base);
      if (hint !== null) await say('note', hint);
      const token = await find('AGP_TOKEN', file);
      const self = typeof token === 'string' ? await readSelf(base, token).catch((error: Error) => error) : token;
      const isNoToken = self === token && file === undefined;
      if (self instanceof Error) await say(isNoToken ? 'note' : 'bad', `the token: ${self.message}`);
      else {
        const { agent_name, refused } = self;
        await say('good', `the token is of the agent ${agent_name}`);
        const [, part = ''] = /^\/agents\/([^/]+)\/./.exec(new URL(base).pathname) ?? [];
        const named = decodeURIComponent(part);
        if (named !== '' && named !== agent_name)
          await say('bad', `the base URL names the agent ${named}: calls with this token are refused`);
        for (const each of refused) await say('bad', `refused now: ${each.replace('governance proxy: ', '')}`);
        for (const [name, text] of listSelf(self)) await say('note', `${name}: ${text}`);
      }
      if (model !== undefined) {
        const [header, target, body] = makeCall(dialect, base, model);
        const variable = nameKey(provider);
        const key = await find(variable);
        const headers = new Headers({ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' });
        if (typeof key === 'string') headers.set(header, header === 'authorization' ? `Bearer ${key}` : key);
        if (typeof token === 'string') headers.set('x-agent-token', token);
        const answer = await askProxy(target, { method: 'POST', headers, body: JSON.stringify(body) });
        const code = answer.headers.get('x-error-code');
        const whose = code === null ? `its provider (key: ${variable}, or the proxy's)` : `the proxy (${code})`;
        if (answer.status < 300) await say('good', `${model} answers`);
        else await say('bad', `${model}: ${whose} answers ${answer.status}: ${readMessage(answer)}`);
        for (const [name, value] of answer.headers) if (/^x-agp-/.test(name)) await say('note', `${name}: ${value}`);
      }
      if (bad > 0) throw new CliError(`${bad} of these findings ${bad === 1 ? 'is' : 'are'} bad.`);
    });
}

/** `me`: an agent's own state, for whoever has its token alone. */
export function addMeCommand(program: Command, shell: Shell): void {
  const summary = "show an agent's own state by its token: status, caps, budgets with what is left, policies";
  addCommand(program, 'me <url>', summary, 'me http://127.0.0.1:8080')
    .option(...fileOption)
    .action(async (url: string, { file }: { file?: string }) => {
      const self = await readSelf(readUrl(url, 'the address of the proxy'), shell.readSecret('AGP_TOKEN', file));
      const { print, paint, width, note } = shell.terminal;
      const agent = ['agent', `${self.agent_name} (${self.agent_id})`] as const;
      const stops = self.refused.map((each) => ['refused now', each, 'red'] as const);
      const fields = [agent, ...stops, ...listSelf(self)];
      await print(shell.json ? escapeJson(JSON.stringify(self)) : formatFields(fields, paint, width));
      note('all refused requests are listed for operators: "refusals --agent", or "why" with a request id');
    });
}
