import {
  agentTokenInputSchema,
  agentTokenListSchema,
  claimedNameListSchema,
  createdAgentTokenSchema,
  isPrintableText,
  maxAgentNameLength,
} from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import {
  createAgentToken,
  deleteAgentToken,
  findNamedAgent,
  listAgentTokens,
  listClaimedNames,
  releaseName,
} from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { issueSecret } from '../keys.ts';
import { presentRow } from '../presenters.ts';
import { replyWithList } from '../replies.ts';
import { agentTokenId, found, type Parameter, parseFuture } from '../requests.ts';

const claimedName: Parameter = {
  description: 'Agent name',
  example: 'invoice-checker',
  error: 'claimed_name_not_found',
  read: (text) => (isPrintableText(text, maxAgentNameLength) ? text : null),
};

/** Whose entry in the log it is: a token may be made before its agent comes. */
const ofAgent = (uuid: string | undefined) => (uuid === undefined ? {} : { agentId: toPublicId('agt', uuid) });

export const agentTokenRoutes = tagRoutes('Agent tokens', [
  defineRoute('POST /api/v1/agent-tokens', {
    scope: 'admin',
    summary: 'Make a token for an agent: its name works with a token alone from then on',
    body: agentTokenInputSchema,
    answer: { status: 201, description: 'The token, with its secret', schema: createdAgentTokenSchema },
    errors: ['agent_not_found'],
    handle: async (input, context) => {
      const { agent_name: agentName, expires_at } = input.body;
      const expiresAt = parseFuture('expires_at', expires_at);
      const { id, secret, secretSha256 } = issueSecret('agp_');
      const token = await recordChange(context, input, 'agent_token.create', async (transaction) => {
        // A team makes tokens of its agents alone; others may be made before their agents come.
        const agent = await findNamedAgent(transaction, agentName);
        if (input.caller?.match && agent === undefined) throw new ApiError('agent_not_found');
        const stored = await createAgentToken(transaction, { id, agentName, secretSha256, expiresAt });
        const result = presentRow(stored, 'tok');
        return { result, ...ofAgent(agent), target: result.id, after: result };
      });
      return { ...token, secret };
    },
  }),
  defineRoute('GET /api/v1/agent-tokens', {
    scope: 'admin',
    summary: 'All agent tokens, oldest first, without their secrets',
    answer: { description: 'The tokens', schema: agentTokenListSchema },
    handle: (_input, { db }, response) => replyWithList(response, listAgentTokens(db), (row) => presentRow(row, 'tok')),
  }),
  defineRoute('DELETE /api/v1/agent-tokens/{id}', {
    scope: 'admin',
    summary: 'Revoke an agent token: the next request with it is refused, and its name stays claimed',
    params: { id: agentTokenId },
    answer: { status: 204, description: 'The token is gone' },
    handle: (input, context) =>
      recordChange(context, input, 'agent_token.delete', async (transaction) => {
        const token = found(await deleteAgentToken(transaction, input.params.id), 'agent_token_not_found');
        const before = presentRow(token, 'tok');
        const agent = await findNamedAgent(transaction, token.agent_name);
        return { result: undefined, ...ofAgent(agent), target: before.id, before };
      }),
  }),
  defineRoute('GET /api/v1/claimed-names', {
    scope: 'admin',
    summary: 'All names that work with an agent token alone, by name',
    answer: { description: 'The names', schema: claimedNameListSchema },
    handle: (_input, { db }, response) => replyWithList(response, listClaimedNames(db), (row) => presentRow(row)),
  }),
  defineRoute('DELETE /api/v1/claimed-names/{name}', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Give a claimed name back: any agent may declare it again, where agents declare their names',
    params: { name: claimedName },
    answer: { status: 204, description: 'The name is free' },
    errors: ['name_has_tokens', 'name_of_workload'],
    handle: (input, context) =>
      recordChange(context, input, 'name.release', async (transaction) => {
        const { name } = input.params;
        const outcome = await releaseName(transaction, name);
        if (outcome === 'unknown') throw new ApiError('claimed_name_not_found');
        if (outcome === 'has_tokens') throw new ApiError('name_has_tokens');
        if (outcome === 'of_workload') throw new ApiError('name_of_workload');
        return { result: undefined, target: name, before: { name } };
      }),
  }),
]);
