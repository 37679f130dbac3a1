import { type ConsoleView, maxViews, viewInputSchema, viewListSchema, viewSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { deleteView, listViews, saveView, type ViewRow } from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import type { Caller } from '../keys.ts';
import { found, viewId } from '../requests.ts';

const present = ({ id, owner, screen, name, query, created_at }: ViewRow): ConsoleView => ({
  ...{ id: toPublicId('viw', id), screen, name, query, shared: owner === null, created_at: created_at.toISOString() },
});

function assureAdmin({ scopes, match }: Caller): void {
  if (match) throw new ApiError('installation_only');
  if (!scopes.has('admin')) throw new ApiError('missing_scope', 'API key lacks scope admin: the view is shared');
}

export const viewRoutes = tagRoutes('Console', [
  defineRoute('GET /api/v1/console/views', {
    summary: "The caller's views of the console's lists, and those of all, by name",
    answer: { description: 'The views', schema: viewListSchema },
    handle: async ({ caller }, { db }) => (await listViews(db, found(caller, 'internal').holder)).map(present),
  }),
  defineRoute('POST /api/v1/console/views', {
    scope: 'read',
    summary: 'Save a view, in place of an own one of the same name; a shared one takes `admin`, and is audited',
    body: viewInputSchema,
    answer: { status: 201, description: 'The view', schema: viewSchema },
    errors: ['too_many_views', 'view_name_taken'],
    handle: async (input, context) => {
      const caller = found(input.caller, 'internal');
      const { shared, ...view } = input.body;
      const save = async (transaction: typeof context.db) => {
        const saved = await saveView(transaction, { ...view, owner: shared ? null : caller.holder }, maxViews);
        if (saved === 'too_many_views') throw new ApiError(saved);
        // What all use is replaced by nobody who did not see it.
        if (shared && saved.before && saved.before.query !== view.query) throw new ApiError('view_name_taken');
        const result = present(saved.after);
        return { result, target: result.id, ...(saved.before && { before: present(saved.before) }), after: result };
      };
      if (!shared) return (await context.db.transaction().execute(save)).result;
      assureAdmin(caller);
      return recordChange(context, input, 'view.save', save);
    },
  }),
  defineRoute('DELETE /api/v1/console/views/{id}', {
    scope: 'read',
    summary: 'Remove a view; a shared one takes `admin`, and is audited',
    params: { id: viewId },
    answer: { status: 204, description: 'The view is gone' },
    handle: async (input, context) => {
      const caller = found(input.caller, 'internal');
      const listed = (await listViews(context.db, caller.holder)).find(({ id }) => id === input.params.id);
      const { owner } = found(listed, 'view_not_found');
      const remove = async (transaction: typeof context.db) => {
        const row = await deleteView(transaction, input.params.id, caller.holder);
        const before = present(found(row, 'view_not_found'));
        return { result: undefined, target: before.id, before };
      };
      if (owner !== null) return (await context.db.transaction().execute(remove)).result;
      assureAdmin(caller);
      return recordChange(context, input, 'view.delete', remove);
    },
  }),
]);
