import type { ProviderApi } from '@agp/core/operations';

/** What agents are written with, and how each is pointed at the proxy. */
interface Snippet {
  name: string;
  /** Which of the proxy's providers it speaks to. */
  api: ProviderApi;
  /** @param base the address of the proxy with the provider, without a slash at its end */
  write(base: string, agent: string): string;
}

const quote = (text: string) => JSON.stringify(text);
const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export const snippets: readonly Snippet[] = [
  {
    name: 'OpenAI, JavaScript',
    api: 'openai',
    write: (base, agent) => `import OpenAI from 'openai';

const openai = new OpenAI({
  baseURL: ${quote(`${base}/v1`)},
  apiKey: process.env.OPENAI_API_KEY ?? 'any',
  defaultHeaders: { 'X-Agent-Name': ${quote(agent)} },
});
const answer = await openai.chat.completions.create({
  model: 'gpt-5-mini',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  },
  {
    name: 'OpenAI, Python',
    api: 'openai',
    write: (base, agent) => `import os
from openai import OpenAI

client = OpenAI(
    base_url=${quote(`${base}/v1`)},
    api_key=os.environ.get("OPENAI_API_KEY", "any"),
    default_headers={"X-Agent-Name": ${quote(agent)}},
)
answer = client.chat.completions.create(
    model="gpt-5-mini",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    name: 'Anthropic, JavaScript',
    api: 'anthropic',
    write: (base, agent) => `import Anthropic from '@anthropic-ai/sdk';

const anthropic = new Anthropic({
  baseURL: ${quote(base)},
  apiKey: process.env.ANTHROPIC_API_KEY ?? 'any',
  defaultHeaders: { 'X-Agent-Name': ${quote(agent)} },
});
const answer = await anthropic.messages.create({
  model: 'claude-sonnet-5',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content);`,
  },
  {
    name: 'Anthropic, Python',
    api: 'anthropic',
    write: (base, agent) => `import os
from anthropic import Anthropic

client = Anthropic(
    base_url=${quote(base)},
    api_key=os.environ.get("ANTHROPIC_API_KEY", "any"),
    default_headers={"X-Agent-Name": ${quote(agent)}},
)
answer = client.messages.create(
    model="claude-sonnet-5",
    max_tokens=500,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content)`,
  },
  {
    name: 'Gemini, JavaScript',
    api: 'gemini',
    write: (base, agent) => `import { GoogleGenAI } from '@google/genai';

const gemini = new GoogleGenAI({
  apiKey: process.env.GEMINI_API_KEY ?? 'any',
  httpOptions: {
    baseUrl: ${quote(base)},
    headers: { 'X-Agent-Name': ${quote(agent)} },
  },
});
const answer = await gemini.models.generateContent({
  model: 'gemini-2.5-flash',
  contents: 'Hello',
});
console.log(answer.text);`,
  },
  {
    name: 'LangChain, Python',
    api: 'openai',
    write: (base, agent) => `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model="gpt-5-mini",
    base_url=${quote(`${base}/v1`)},
    default_headers={"X-Agent-Name": ${quote(agent)}},
)
print(model.invoke("Hello").content)`,
  },
  {
    name: 'Vercel AI SDK',
    api: 'openai',
    write: (base, agent) => `import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const openai = createOpenAI({
  baseURL: ${quote(`${base}/v1`)},
  headers: { 'X-Agent-Name': ${quote(agent)} },
});
const { text } = await generateText({ model: openai('gpt-5-mini'), prompt: 'Hello' });
console.log(text);`,
  },
  {
    name: 'Claude Code',
    api: 'anthropic',
    write: (base, agent) => `export ANTHROPIC_BASE_URL=${shellQuote(base)}
export ANTHROPIC_CUSTOM_HEADERS=${shellQuote(`X-Agent-Name: ${agent}`)}
claude`,
  },
  {
    name: 'Bedrock, JavaScript',
    api: 'bedrock',
    write: (base, agent) => `import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';

const bedrock = new BedrockRuntimeClient({
  endpoint: ${quote(base)},
  region: 'eu-central-1',
  token: { token: process.env.AWS_BEARER_TOKEN_BEDROCK ?? 'any' },
  authSchemePreference: ['httpBearerAuth'],
  requestHandler: new NodeHttpHandler(),
});
bedrock.middlewareStack.add(
  (next) => (args) => {
    args.request.headers['X-Agent-Name'] = ${quote(agent)};
    return next(args);
  },
  { step: 'build' },
);
const { output } = await bedrock.send(
  new ConverseCommand({
    modelId: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
  }),
);
console.log(output.message.content);`,
  },
  {
    name: 'Claude Code on Bedrock',
    api: 'bedrock',
    write: (base, agent) => `export CLAUDE_CODE_USE_BEDROCK=1 CLAUDE_CODE_SKIP_BEDROCK_AUTH=1 AWS_REGION=eu-central-1
export ANTHROPIC_BEDROCK_BASE_URL=${shellQuote(base)}
export ANTHROPIC_CUSTOM_HEADERS=${shellQuote(`X-Agent-Name: ${agent}`)}
claude`,
  },
  {
    name: 'Codex CLI',
    api: 'openai',
    write: (base, agent) => `# ~/.codex/config.toml
model_provider = "governed"

[model_providers.governed]
name = "through the proxy"
base_url = ${quote(`${base}/v1`)}
env_key = "OPENAI_API_KEY"
wire_api = "responses"
http_headers = { "X-Agent-Name" = ${quote(agent)} }`,
  },
  {
    name: 'curl',
    api: 'openai',
    write: (base, agent) => `curl -s ${shellQuote(`${base}/v1/chat/completions`)} \\
  -H 'Content-Type: application/json' \\
  -H ${shellQuote(`X-Agent-Name: ${agent}`)} \\
  -H "Authorization: Bearer \${OPENAI_API_KEY:-any}" \\
  -d '{"model":"gpt-5-mini","messages":[{"role":"user","content":"Hello"}]}'`,
  },
];

/** The providers of a local installation that answer by themselves, without a key. */
const simulated = { openai: 'demo', anthropic: 'demo-anthropic', gemini: 'demo-gemini', bedrock: 'demo-bedrock' };

/** The address that an SDK is given. @param useSimulated the simulated provider, which only `npm start` has */
export function baseOf(proxyUrl: string, api: Snippet['api'], useSimulated: boolean): string {
  return `${proxyUrl.replace(/\/+$/, '')}/${useSimulated ? simulated[api] : api}`;
}

/** The address for a tool that takes nothing but a base URL: the name is in its path. */
export function toolAddress(proxyUrl: string, agent: string, useSimulated: boolean): string {
  const base = proxyUrl.replace(/\/+$/, '');
  return `${base}/agents/${encodeURIComponent(agent)}/${useSimulated ? simulated.openai : 'openai'}/v1`;
}
