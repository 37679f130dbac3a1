import type { LocalStack } from './start-local-stack.ts';

/** The text for the terminal once everything is up: the addresses, the key, and two lines to copy. */
export function writeWelcome(stack: LocalStack, seconds: number): string {
  const { proxyUrl, managementUrl, consoleUrl, generatedKey, asksForTokens } = stack;
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] });
  const header = asksForTokens ? 'X-Agent-Token: agp_...' : 'X-Agent-Name: my-agent';
  const key = generatedKey ?? '$MANAGEMENT_API_KEY';
  return `
Everything is up after ${seconds.toFixed(1)} s.

  proxy           ${proxyUrl}
  management API  ${managementUrl}   (description: ${managementUrl}/docs)
  management key  ${generatedKey ?? 'the one you set'}

See it in a browser; the link works once, within ten minutes, and "npm run agp -- console link" makes another:

  ${consoleUrl}

${asksForTokens ? 'Every agent needs a token: npm run agp -- tokens create my-agent\n\n' : ''}Send a request through the proxy, to the simulated provider:

  curl -s ${proxyUrl}/demo/v1/chat/completions -H 'Content-Type: application/json' -H '${header}' -d '${body}'

See what was recorded:

  curl -s ${managementUrl}/api/v1/events -H "Authorization: Bearer ${key}"

Ctrl-C stops everything; the data stays.
`;
}
