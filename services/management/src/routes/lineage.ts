import { anchorListSchema, lineageRemovalsSchema, lineageSchema, lineageVerdictSchema } from '@agp/core/contracts';
import { toPublicId, uuidTime } from '@agp/core/ids';
import {
  listAnchors,
  listLineageAnchors,
  listLineageEntries,
  noRemoval,
  readLineageHead,
  readLineageOrder,
} from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentRow } from '../presenters.ts';
import { verifyLineage } from '../reads/verify.ts';
import { replyWithList } from '../replies.ts';
import { found, sessionId } from '../requests.ts';

export const lineageRoutes = tagRoutes('Lineage', [
  defineRoute('GET /api/v1/lineage/removals', {
    summary: 'All that retention keeps of what it removed, for holding it against the audit log',
    answer: {
      description: 'By removal, within one by session and place, as its Merkle root covers them',
      schema: anchorListSchema,
    },
    handle: (_input, { db }, response) =>
      replyWithList(response, listAnchors(db), ({ removal, ...anchor }) => ({
        removal: removal === noRemoval ? null : toPublicId('rem', removal),
        ...anchor,
      })),
  }),
  defineRoute('GET /api/v1/lineage/{session_id}/verify', {
    summary: "Whether a session's chain is as it was written, by computing every hash anew",
    params: { session_id: sessionId },
    answer: { description: 'What was found', schema: lineageVerdictSchema },
    handle: async ({ params }, { db }) => found(await verifyLineage(db, params.session_id), 'session_not_found'),
  }),
  defineRoute('GET /api/v1/lineage/{session_id}/removed', {
    summary: "Which events of a session's chain were removed for their age, and the hashes from which it goes on",
    params: { session_id: sessionId },
    answer: { description: 'What was removed, in chain order', schema: lineageRemovalsSchema },
    handle: async ({ params: { session_id } }, { db }) => {
      found(await readLineageHead(db, session_id), 'session_not_found');
      const removed = (await listLineageAnchors(db, session_id)).map(({ removal, ...links }) => ({
        ...links,
        ...(removal !== noRemoval && { removed_at: new Date(uuidTime(removal)).toISOString() }),
      }));
      return { session_id, removed };
    },
  }),
  defineRoute('GET /api/v1/lineage/{session_id}', {
    summary: "A session's chain of lineage hashes, with the exact text that each covers",
    params: { session_id: sessionId },
    answer: { description: 'The chain, in the order of recording', schema: lineageSchema },
    handle: async ({ params: { session_id } }, { db }, response) => {
      // The head outlives its events, so that an empty chain shows as cut off; it is read first, since the first events may be recorded
      // between the two.
      const head = await readLineageHead(db, session_id);
      const order = await readLineageOrder(db, session_id);
      if (order.length === 0) found(head, 'session_not_found');
      const framing = { before: `{"session_id":${JSON.stringify(session_id)},"entries":[`, after: ']}' };
      await replyWithList(response, listLineageEntries(db, order), (row) => presentRow(row), framing);
    },
  }),
]);
