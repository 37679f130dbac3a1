import type { ComposeProject } from '../compose-project.ts';
import { runCommand } from '../run-command.ts';
import { readAll } from './read-records.ts';
import { waitUntil } from './wait-until.ts';

const bodyBytes = 30 * 1024 * 1024;

const ask = (
  url: string,
  model: string,
  {
    stream = false,
    content = 'hello',
    headers = {},
    signal = null,
  }: {
    stream?: boolean;
    content?: string;
    headers?: Record<string, string>;
    signal?: AbortSignal | null;
  } = {},
) =>
  fetch(`${url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'behind-the-balancer', ...headers },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
    signal,
  });

async function expectStreamed(url: string): Promise<string> {
  const response = await ask(url, 'words-25', { stream: true });
  const arrivals: number[] = [];
  for await (const _ of response.body ?? []) arrivals.push(performance.now());
  const spread = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  if (arrivals.length < 15 || spread < 2_500)
    throw new Error(
      `25 words of a stream, 200 ms apart, came in ${arrivals.length} pieces within ${spread.toFixed(0)} ms`,
    );
  return `a stream in ${arrivals.length} pieces`;
}

async function expectLargeBody(url: string): Promise<string> {
  const { status } = await ask(url, 'gpt-4o', { content: 'x'.repeat(bodyBytes) });
  if (status !== 200) throw new Error(`a body of ${bodyBytes} bytes was answered with ${status}`);
  return `a body of ${bodyBytes / 1024 / 1024} MiB`;
}

/** What a caller claims in the header does not count. */
async function expectCallersAddress(project: ComposeProject, url: string, apiUrl: string): Promise<string> {
  await ask(url, 'gpt-4o', { headers: { 'x-forwarded-for': '203.0.113.9' } });
  const [balancer = ''] = await project.containers('balancer');
  const format = '{{range .NetworkSettings.Networks}}{{.Gateway}} {{end}}';
  const gateways = (await runCommand(['docker', 'inspect', '--format', format, balancer])).split(' ');
  let seen: string[] = [];
  await waitUntil(`the caller's address, one of ${gateways}`, async () => {
    const agents = await readAll<{ name: string; source_ip: string }>(apiUrl, '/api/v1/agents', project.apiKey);
    seen = agents.flatMap(({ name, source_ip }) => (name === 'behind-the-balancer' ? [source_ip] : []));
    return seen.length === 1 && gateways.includes(seen[0] ?? '');
  }).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${seen}`, { cause: error });
  });
  return "the caller's own address";
}

async function expectAbort(project: ComposeProject, url: string, apiUrl: string): Promise<string> {
  const response = await ask(url, 'words-50', { stream: true, headers: { 'x-request-id': 'gone-away' } });
  const id = response.headers.get('x-event-id');
  await response.body?.cancel();
  await waitUntil('the proxy to hear that its caller has gone', async () => {
    const events = await readAll<{ id: string; outcome: string }>(
      apiUrl,
      '/api/v1/events?expand=outcome',
      project.apiKey,
    );
    return events.some((event) => event.id === id && event.outcome === 'aborted');
  });
  return 'an end that its caller made';
}

/** What an agent gets where no proxy runs. */
async function expectNoneLeft(project: ComposeProject, url: string): Promise<string> {
  await project.run('stop', 'proxy');
  const response = await ask(url, 'gpt-4o');
  const said = `${response.status} ${response.headers.get('retry-after')} ${await response.text()}`;
  if (said !== '503 1 {"error":"no replica of the service is running"}') throw new Error(`without a proxy: ${said}`);
  await project.run('start', 'proxy');
  await waitUntil('a proxy to be found again', async () => {
    const { status, body } = await ask(url, 'gpt-4o');
    await body?.cancel();
    return status === 200;
  });
  return 'and says in JSON when no proxy is there';
}

/** What the balancer must not change. @returns what to print */
export async function checkBalancer(project: ComposeProject): Promise<string> {
  const url = await project.urlOf('balancer', 8080);
  const apiUrl = await project.urlOf('balancer', 8081);
  const passed = [
    await expectStreamed(url),
    await expectLargeBody(url),
    await expectCallersAddress(project, url, apiUrl),
    await expectAbort(project, url, apiUrl),
    await expectNoneLeft(project, url),
  ];
  return `the balancer passes on ${passed.join(', ')}`;
}
