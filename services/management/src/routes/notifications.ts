import {
  deliveryListQuerySchema,
  deliveryListSchema,
  deliverySchema,
  madeTargetSchema,
  maxRules,
  maxTargets,
  type Rule,
  rulePreviewSchema,
  ruleSchema,
  type StoredRule,
  type StoredTarget,
  storedRuleListSchema,
  storedRuleSchema,
  storedTargetListSchema,
  storedTargetSchema,
  type Target,
  type TargetChange,
  targetChangeSchema,
  targetSchema,
  testedSchema,
} from '@agp/alerts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { listDeliveries, readDelivery, readDocument, resendDelivery } from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { documentRoutes } from '../document-routes.ts';
import { readYaml, writeDocument } from '../policy-text.ts';
import { presentDelivery } from '../presenters.ts';
import { makeTarget, mergeTarget, presentRules, presentTargets } from '../reads/notifications.ts';
import { writeNextLink } from '../replies.ts';
import { deliveryId, found, ruleId, targetId } from '../requests.ts';

const ruleRoutes = tagRoutes('Alerts', [
  defineRoute('POST /api/v1/notification-rules/preview', {
    ofInstallation: true,
    isRead: true,
    summary: 'Which alerts a rule would have open now, and how its messages read; changes nothing',
    body: ruleSchema,
    answer: { description: 'The alerts', schema: rulePreviewSchema },
    handle: ({ body }, { alertWatch, db }) => alertWatch.preview(db, body),
  }),
  ...documentRoutes<'rule', Rule, StoredRule>({
    ...{ kind: 'rule', action: 'notification_rule', path: '/api/v1/notification-rules' },
    ...{ prefix: 'nru', id: ruleId, unknown: 'rule_not_found', ofInstallation: true },
    ...{ schema: ruleSchema, shown: storedRuleSchema, listShown: storedRuleListSchema },
    says: {
      ...{ noun: 'The rule', nouns: 'The rules', one: 'One rule' },
      list: 'All rules of what is told to whom, by name',
      make: 'Make a rule: it holds within seconds',
      replace: 'Replace a rule: open alerts that it would not have any more are over',
      remove: 'Remove a rule: its open alerts are over',
    },
    errors: { make: ['rule_name_taken', 'too_many_rules'], replace: ['rule_name_taken'] },
    most: maxRules,
    // With its defaults: rules that came with the database were stored without.
    describe: ({ version, rule }) => ({ version, rule: ruleSchema.safeParse(rule).data ?? rule }),
    present: ({ db }, rows) => presentRules(db, rows),
    readText: readYaml(ruleSchema, 'rule'),
    write: (input, _context, stored) =>
      writeDocument(input, ruleSchema, stored && { said: ruleSchema.safeParse(stored.rule).data, text: stored.text }),
  }),
]);

const targetRoutes = tagRoutes('Alerts', [
  ...documentRoutes<'target', Target | TargetChange, StoredTarget>({
    ...{ kind: 'target', action: 'notification_target', path: '/api/v1/notification-targets' },
    ...{ prefix: 'ntg', id: targetId, unknown: 'target_not_found', scope: 'admin', ofInstallation: true },
    ...{ schema: targetSchema, changeSchema: targetChangeSchema, madeSchema: madeTargetSchema },
    ...{ shown: storedTargetSchema, listShown: storedTargetListSchema },
    says: {
      ...{ noun: 'The target', nouns: 'The targets', one: 'One target' },
      list: 'All targets of alerts, by name, without their secrets',
      make: 'Make a target; a secret that is made for it is shown in this answer alone',
      replace: 'Replace a target: a secret that is absent stays, and one that was disabled is tried anew',
      remove: 'Remove a target that no rule sends to, with what waits for it',
    },
    errors: {
      make: ['target_name_taken', 'too_many_targets'],
      ...{ replace: ['target_name_taken'], remove: ['target_in_use'] },
    },
    most: maxTargets,
    // Without what is secret.
    describe: ({ version, target }) => ({ version, target }),
    present: ({ db }, rows) => presentTargets(db, rows),
    write: ({ body }, { config }, before) =>
      before === undefined ? makeTarget(body as Target, config) : mergeTarget(before, body as TargetChange, config),
  }),
  defineRoute('POST /api/v1/notification-targets/{id}/test', {
    ofInstallation: true,
    summary: 'Send a test message now, once, and say what became of it',
    params: { id: targetId },
    answer: { description: 'What the receiver said', schema: testedSchema },
    handle: async (input, context) => {
      const row = await recordChange(context, input, 'notification_target.test', async (transaction) => {
        const target = found(await readDocument(transaction, 'target', input.params.id), 'target_not_found');
        return { result: target, target: toPublicId('ntg', target.id), after: { target: { name: target.name } } };
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
