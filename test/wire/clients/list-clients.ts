import { agentsClients } from './agents.ts';
import { anthropicClients } from './anthropic.ts';
import type { Client } from './client.ts';
import { googleClients } from './google.ts';
import { langchainClients } from './langchain.ts';
import { llamaindexClients } from './llamaindex.ts';
import { mastraClients } from './mastra.ts';
import { openaiClients } from './openai.ts';
import { vercelClients } from './vercel.ts';

export const clients: readonly Client[] = [
  ...openaiClients,
  ...anthropicClients,
  ...googleClients,
  ...agentsClients,
  ...llamaindexClients,
  ...mastraClients,
  ...langchainClients,
  ...vercelClients,
];
