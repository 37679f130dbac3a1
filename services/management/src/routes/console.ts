import { consoleLinkInputSchema, consoleLinkSchema, consoleSessionListSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { createConsoleCode, endConsoleSession, listConsoleSessions } from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { issueSecret } from '../keys.ts';
import { linkMs } from '../limits.ts';
import { presentConsoleSession } from '../presenters.ts';
import { consoleSessionId, found } from '../requests.ts';

export const consoleRoutes = tagRoutes('Console', [
  defineRoute('POST /api/v1/console/links', {
    scope: 'read',
    summary: 'Make a link that signs a browser in to the console once, within ten minutes, as the holder of this key',
    body: consoleLinkInputSchema,
    answer: { status: 201, description: 'The link', schema: consoleLinkSchema },
    errors: ['needs_api_key', 'too_many_sign_ins'],
    handle: async (input, context) => {
      const caller = found(input.caller, 'internal');
      // Else a stolen session could outlive its end.
      if (caller.session !== undefined) throw new ApiError('needs_api_key');
      const { signIns } = context;
      await signIns.admit(caller.holder);
      const { secret, secretSha256 } = issueSecret('agl_');
      const expiresAt = new Date(Date.now() + linkMs);
      return recordChange(signIns, input, 'console.link', async (transaction) => {
        const keySha256 = Buffer.from(caller.secretSha256, 'hex');
        await createConsoleCode(transaction, { codeSha256: secretSha256, keySha256, expiresAt });
        const expires_at = expiresAt.toISOString();
        // After #: browsers send that part to no server.
        return { result: { path: `/sign-in#code=${secret}`, expires_at }, after: { expires_at } };
      });
    },
  }),
  defineRoute('GET /api/v1/console/sessions', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Who is signed in to the console, the latest used first',
    answer: { description: 'The sessions', schema: consoleSessionListSchema },
    handle: async (_input, { db }) => (await listConsoleSessions(db)).map(presentConsoleSession),
  }),
  defineRoute('DELETE /api/v1/console/sessions/{id}', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Sign somebody out of the console: the next request of the session fails',
    params: { id: consoleSessionId },
    answer: { status: 204, description: 'The session is over' },
    handle: (input, context) =>
      recordChange(context, input, 'console.revoke', async (transaction) => {
        const row = found(await endConsoleSession(transaction, input.params.id), 'console_session_not_found');
        const before = presentConsoleSession(row);
        return { result: undefined, target: before.id, before };
      }),
  }),
]);
