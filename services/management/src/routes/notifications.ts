import {
  deliveryListQuerySchema,
  deliveryListSchema,
  deliverySchema,
  madeTargetSchema,
  maxRules,
  maxTargets,
  rulePreviewSchema,
  ruleSchema,
  storedRuleListSchema,
  storedRuleSchema,
  storedTargetListSchema,
  storedTargetSchema,
  targetChangeSchema,
  targetSchema,
  testedSchema,
} from '@agp/alerts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import {
  createRule,
  createTarget,
  deleteRule,
  deleteTarget,
  listDeliveries,
  listRules,
  listTargets,
  type NameConflict,
  type RuleRow,
  readDelivery,
  readRule,
  readTarget,
  replaceRule,
  replaceTarget,
  resendDelivery,
  type TargetRow,
} from '@agp/db';
import { recordChange, tellVersion } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentDelivery } from '../presenters.ts';
import { makeTarget, mergeTarget, presentRules, presentTargets } from '../reads/notifications.ts';
import { writeNextLink } from '../replies.ts';
import { deliveryId, found, ruleId, targetId } from '../requests.ts';

function assureStored<Stored extends object>(stored: Stored | NameConflict): Stored {
  if (typeof stored === 'string') throw new ApiError(stored);
  if ('missing' in stored) throw new ApiError('invalid_parameter', `targets: no target is named ${stored.missing}`);
  return stored;
}

/** With its defaults: rules that came with the database were stored without. */
const describeRule = ({ version, rule }: RuleRow) => ({ version, rule: ruleSchema.safeParse(rule).data ?? rule });
/** Without what is secret. */
const describeTarget = ({ version, target }: TargetRow) => ({ version, target });

const nameRule = ({ id }: { id: string }) => toPublicId('nru', id);
const nameTarget = ({ id }: { id: string }) => toPublicId('ntg', id);

const ruleRoutes = tagRoutes('Alerts', [
  defineRoute('GET /api/v1/notification-rules', {
    ofInstallation: true,
    summary: 'All rules of what is told to whom, by name',
    answer: { description: 'The rules', schema: storedRuleListSchema },
    handle: async (_input, { db }) => presentRules(db, await listRules(db)),
  }),
  defineRoute('POST /api/v1/notification-rules/preview', {
    ofInstallation: true,
    isRead: true,
    summary: 'Which alerts a rule would have open now, and how its messages read; changes nothing',
    body: ruleSchema,
    answer: { description: 'The alerts', schema: rulePreviewSchema },
    handle: ({ body }, { alertWatch, db }) => alertWatch.preview(db, body),
  }),
  defineRoute('POST /api/v1/notification-rules', {
    ofInstallation: true,
    summary: 'Make a rule: it holds within seconds',
    body: ruleSchema,
    answer: { status: 201, description: 'The rule', schema: storedRuleSchema },
    errors: ['rule_name_taken', 'too_many_rules'],
    handle: async (input, context) => {
      const made = await recordChange(context, input, 'notification_rule.create', async (transaction) => {
        const row = assureStored(await createRule(transaction, input.body, maxRules));
        return { result: row, target: nameRule(row), after: describeRule(row) };
      });
      return (await presentRules(context.db, [made]))[0];
    },
  }),
  defineRoute('GET /api/v1/notification-rules/{id}', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'One rule',
    params: { id: ruleId },
    answer: { description: 'The rule', schema: storedRuleSchema },
    handle: async ({ params }, { db }, response) => {
      const row = found(await readRule(db, params.id), 'rule_not_found');
      return tellVersion(response, `${row.version}`, found((await presentRules(db, [row]))[0], 'rule_not_found'));
    },
  }),
  defineRoute('PUT /api/v1/notification-rules/{id}', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'Replace a rule: open alerts that it would not have any more are over',
    params: { id: ruleId },
    body: ruleSchema,
    answer: { description: 'The rule as it is now', schema: storedRuleSchema },
    errors: ['rule_name_taken'],
    handle: async (input, context) => {
      const row = await recordChange(context, input, 'notification_rule.update', async (transaction) => {
        const replaced = found(await replaceRule(transaction, input.params.id, input.body), 'rule_not_found');
        const { before, after } = assureStored(replaced);
        const versions = { before: `${before.version}`, after: `${after.version}` };
        return {
          ...{ result: after, target: nameRule(after), versions },
          ...{ before: describeRule(before), after: describeRule(after) },
        };
      });
      return (await presentRules(context.db, [row]))[0];
    },
  }),
  defineRoute('DELETE /api/v1/notification-rules/{id}', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'Remove a rule: its open alerts are over',
    params: { id: ruleId },
    answer: { status: 204, description: 'The rule is gone' },
    handle: (input, context) =>
      recordChange(context, input, 'notification_rule.delete', async (transaction) => {
        const row = found(await deleteRule(transaction, input.params.id), 'rule_not_found');
        const versions = { before: `${row.version}` };
        return { result: undefined, target: nameRule(row), before: describeRule(row), versions };
      }),
  }),
]);

const targetRoutes = tagRoutes('Alerts', [
  defineRoute('GET /api/v1/notification-targets', {
    ofInstallation: true,
    summary: 'All targets of alerts, by name, without their secrets',
    answer: { description: 'The targets', schema: storedTargetListSchema },
    handle: async (_input, { db }) => presentTargets(db, await listTargets(db)),
  }),
  defineRoute('POST /api/v1/notification-targets', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Make a target; a secret that is made for it is shown in this answer alone',
    body: targetSchema,
    answer: { status: 201, description: 'The target', schema: madeTargetSchema },
    errors: ['target_name_taken', 'too_many_targets'],
    handle: async (input, context) => {
      const { secret, ...parts } = makeTarget(input.body, context.config);
      const row = await recordChange(context, input, 'notification_target.create', async (transaction) => {
        const made = assureStored(await createTarget(transaction, parts, maxTargets));
        return { result: made, target: nameTarget(made), after: describeTarget(made) };
      });
      const [shown] = await presentTargets(context.db, [row]);
      return { ...found(shown, 'internal'), secret };
    },
  }),
  defineRoute('GET /api/v1/notification-targets/{id}', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'One target',
    params: { id: targetId },
    answer: { description: 'The target', schema: storedTargetSchema },
    handle: async ({ params }, { db }, response) => {
      const row = found(await readTarget(db, params.id), 'target_not_found');
      return tellVersion(response, `${row.version}`, (await presentTargets(db, [row]))[0]);
    },
  }),
  defineRoute('PUT /api/v1/notification-targets/{id}', {
    ofInstallation: true,
    scope: 'admin',
    isVersioned: true,
    summary: 'Replace a target: a secret that is absent stays, and one that was disabled is tried anew',
    params: { id: targetId },
    body: targetChangeSchema,
    answer: { description: 'The target as it is now', schema: storedTargetSchema },
    errors: ['target_name_taken'],
    handle: async (input, context) => {
      const row = await recordChange(context, input, 'notification_target.update', async (transaction) => {
        const change = (before: TargetRow) => mergeTarget(before, input.body, context.config);
        const replaced = found(await replaceTarget(transaction, input.params.id, change), 'target_not_found');
        const { before, after } = assureStored(replaced);
        const versions = { before: `${before.version}`, after: `${after.version}` };
        return {
          ...{ result: after, target: nameTarget(after), versions },
          ...{ before: describeTarget(before), after: describeTarget(after) },
        };
      });
      return (await presentTargets(context.db, [row]))[0];
    },
  }),
  defineRoute('DELETE /api/v1/notification-targets/{id}', {
    ofInstallation: true,
    scope: 'admin',
    isVersioned: true,
    summary: 'Remove a target that no rule sends to, with what waits for it',
    params: { id: targetId },
    answer: { status: 204, description: 'The target is gone' },
    errors: ['target_in_use'],
    handle: (input, context) =>
      recordChange(context, input, 'notification_target.delete', async (transaction) => {
        const row = found(await deleteTarget(transaction, input.params.id), 'target_not_found');
        if ('usedBy' in row)
          throw new ApiError('target_in_use', `rules send to it: ${row.usedBy.slice(0, 5).join(', ')}`);
        const versions = { before: `${row.version}` };
        return { result: undefined, target: nameTarget(row), before: describeTarget(row), versions };
      }),
  }),
  defineRoute('POST /api/v1/notification-targets/{id}/test', {
    ofInstallation: true,
    summary: 'Send a test message now, once, and say what became of it',
    params: { id: targetId },
    answer: { description: 'What the receiver said', schema: testedSchema },
    handle: async (input, context) => {
      const row = await recordChange(context, input, 'notification_target.test', async (transaction) => {
        const target = found(await readTarget(transaction, input.params.id), 'target_not_found');
        return { result: target, target: nameTarget(target), after: { target: { name: target.name } } };
      });
      return context.notifier.test(row);
    },
  }),
]);

const deliveryRoutes = tagRoutes('Alerts', [
  defineRoute('GET /api/v1/notification-deliveries', {
    ofInstallation: true,
    summary: 'Messages to targets, newest first: what waits, was delivered or was given up',
    query: deliveryListQuerySchema,
    answer: { description: 'One page of messages', schema: deliveryListSchema, paged: true },
    handle: async ({ query, request }, { db }, response) => {
      const { limit, offset } = query;
      const rows = await listDeliveries(db, query, { limit: limit + 1, offset });
      if (rows.length > limit) response.set('Link', writeNextLink(request, query, ['offset', `${offset + limit}`]));
      return rows.slice(0, limit).map(presentDelivery);
    },
  }),
  defineRoute('POST /api/v1/notification-deliveries/{id}/resend', {
    ofInstallation: true,
    summary: 'Try a message again that was given up, with the same id',
    params: { id: deliveryId },
    answer: { description: 'The message, which waits again', schema: deliverySchema },
    errors: ['not_dead'],
    handle: (input, context) =>
      recordChange(context, input, 'notification.resend', async (transaction) => {
        if (!(await resendDelivery(transaction, input.params.id)))
          throw new ApiError((await readDelivery(transaction, input.params.id)) ? 'not_dead' : 'delivery_not_found');
        const row = found(await readDelivery(transaction, input.params.id), 'delivery_not_found');
        return { result: presentDelivery(row), target: toPublicId('dlv', row.id), after: { occasion: row.occasion } };
      }),
  }),
]);

/** Rules of what is told to whom, where it goes, and what became of each message. */
export const notificationRoutes = [...ruleRoutes, ...targetRoutes, ...deliveryRoutes];
