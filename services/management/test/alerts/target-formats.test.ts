import { toPublicId } from '@agp/core/ids';
import { waitFor } from '@agp/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { makeTarget, putAlerts, putDeliveries, startReceiver } from '../support/alert-receivers.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const receiver = await startReceiver();
afterAll(() => receiver[Symbol.asyncDispose]());

const management = shareTestManagement({
  notificationAllowedHosts: [receiver.host],
  consoleOrigin: 'https://agp.test',
  notifier: { pagerdutyOrigins: { us: `${receiver.url}/us`, eu: `${receiver.url}/eu` } },
});

/** What an agent may be called, to be more than a name, and an alert that is far too long. */
const hostile = {
  title: 'agent <!channel> & <https://evil.test|click> [x](https://evil.test)\nfails',
  detail: 'all of <b>it</b>',
};
const agent = '01985d3c-6f3e-7cc2-a7b1-1a2b3c4d5e6f';
const long = { title: 'x<'.repeat(4_000), detail: 'y&'.repeat(4_000) };

/** Sends both alerts as opened, and the first as resolved; the bodies that came, parsed. */
async function sendAll(name: string, target: Record<string, unknown>, path: string) {
  const { id, publicId } = await makeTarget(management, { name, kind: name, ...target });
  const [first = '', second = ''] = await putAlerts(management.database, [hostile, { ...long, agent }]);
  await putDeliveries(management.database, [
    ...[first, second].map((alert) => ({ target: id, alert, line: 'one' })),
    { target: id, alert: first, line: 'one', occasion: 'resolved' as const },
  ]);
  await waitFor('three messages', () => receiver.at(path).length >= 3);
  const tested = await management.call(`/api/v1/notification-targets/${publicId}/test`, { method: 'POST' });
  expect(await tested.json()).toEqual({ delivered: true, status: 200, error: null });
  const received = receiver.at(path);
  for (const { headers } of received) expect(headers['content-type']).toBe('application/json');
  return { alert: toPublicId('alr', first), bodies: received.map(({ body }) => JSON.parse(body)) };
}

describe('messages keep to the published formats', () => {
  test("of Slack's Block Kit, without links and calls that an agent wrote", async () => {
    // https://docs.slack.dev/reference/block-kit/composition-objects/text-object and blocks/section-block, context-block
    const text = (most: number) =>
      z.strictObject({
        type: z.literal('mrkdwn'),
        text: z.string().min(1).max(most),
        verbatim: z.boolean().optional(),
      });
    const section = z.strictObject({ type: z.literal('section'), text: text(3_000) });
    const context = z.strictObject({ type: z.literal('context'), elements: z.array(text(3_000)).min(1).max(10) });
    const format = z.strictObject({
      text: z.string().min(1).max(40_000),
      unfurl_links: z.boolean(),
      blocks: z.array(z.discriminatedUnion('type', [section, context])).max(50),
    });
    const { bodies } = await sendAll('slack', { url: `${receiver.url}/slack` }, '/slack');
    for (const body of bodies) {
      const { text, blocks } = format.parse(body);
      expect(`${text} ${JSON.stringify(blocks[0])}`).not.toMatch(/[<>]/);
      expect(`${text} ${JSON.stringify(blocks[0])}`).not.toMatch(/&(?!(?:amp|lt|gt);)/);
    }
    expect(bodies[0].text).toMatch(/^CRITICAL: agent &lt;!channel&gt; &amp; .*\\u\{a\}fails$/);
    expect(bodies[0].blocks[1].elements[0].text).toBe('<https://agp.test/agents?search=a&amp;b|Look at it>');
    expect(bodies[1].blocks[1].elements[1].text).toBe(
      `<https://agp.test/agents/${toPublicId('agt', agent)}#block|Block it>`,
    );
    expect(bodies[2].text).toMatch(/^resolved: agent/);
    expect(bodies[3].text).toMatch(/^test: the target slack is reached/);
  });

  test('of Adaptive Cards 1.4 in a Teams workflow, without Markdown that an agent wrote', async () => {
    // https://adaptivecards.io/schemas/1.4.0/adaptive-card.json, and https://learn.microsoft.com/connectors/teams/#webhook
    const run = z.strictObject({
      type: z.literal('TextRun'),
      text: z.string(),
      weight: z.literal('bolder').optional(),
    });
    const card = z.strictObject({
      $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
      type: z.literal('AdaptiveCard'),
      version: z.literal('1.4'),
      fallbackText: z.string(),
      body: z.array(z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(run).min(1) })),
      actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() })),
      msteams: z.strictObject({ width: z.literal('Full') }),
    });
    const attachment = z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: card,
    });
    const format = z.strictObject({
      type: z.literal('message'),
      summary: z.string(),
      attachments: z.tuple([attachment]),
    });
    const { bodies } = await sendAll('teams', { url: `${receiver.url}/teams` }, '/teams');
    for (const body of bodies) {
      format.parse(body);
      // Teams takes 28 KB.
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(28_000);
    }
    expect(bodies[0].attachments[0].content.actions[0].url).toBe('https://agp.test/agents?search=a&b');
  });

  test.each(['us', 'eu'])(
    'of PagerDuty, Events API v2, in %s: an alert is triggered and resolved by its id',
    async (region) => {
      // https://github.com/PagerDuty/api-schema/blob/main/reference/events-v2/openapiv3.json; lengths: the page "Send an alert event"
      const payload = z.strictObject({
        summary: z.string().min(1).max(1_024),
        timestamp: z.iso.datetime(),
        severity: z.enum(['critical', 'warning', 'error', 'info']),
        source: z.string().min(1),
        class: z.string(),
        group: z.string(),
        custom_details: z.record(z.string(), z.string()),
      });
      const event = { routing_key: z.literal('key-of-32-characters'), dedup_key: z.string().min(1).max(255) };
      const format = z.discriminatedUnion('event_action', [
        z.strictObject({ ...event, event_action: z.literal('resolve') }),
        z.strictObject({
          ...{ ...event, event_action: z.literal('trigger'), payload, client: z.string(), client_url: z.url() },
          links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
        }),
      ]);
      const path = `/${region}/v2/enqueue`;
      const target = { kind: 'pagerduty', region, routing_key: 'key-of-32-characters' };
      const { alert, bodies } = await sendAll(`pagerduty-${region}`, target, path);
      const events = bodies.map((body) => format.parse(body));
      expect(events.map(({ event_action }) => event_action).join(' ')).toBe('trigger trigger resolve trigger resolve');
      expect([events[0], events[2]].map((each) => each?.dedup_key)).toEqual([alert, alert]);
      expect(events[3]).toMatchObject({ payload: { severity: 'info' }, dedup_key: events[4]?.dedup_key });
    },
  );
});
