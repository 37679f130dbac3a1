/** An address of the console, and when what it is about is there. */
export interface View {
  path: string;
  /** The screen's heading. */
  title: string;
  /** What is only there with the data, as a CSS selector. */
  shown: string;
}

const rowsOf = (label: string) => `table[aria-label="${label}"] tbody tr`;

export interface Known {
  eventId: string;
  sessionId: string;
  agentId: string;
  agentName: string;
  requestId: string;
}

/** Every screen, in the ways that read most. */
export function listViews({ eventId, sessionId, agentId, agentName, requestId }: Known): View[] {
  const events = (query = ''): View => ({ path: `/events${query}`, title: 'Events', shown: rowsOf('Events') });
  const agents = (query = ''): View => ({ path: `/agents${query}`, title: 'Agents', shown: rowsOf('Agents') });
  const costs = (query = ''): View => ({ path: `/costs${query}`, title: 'Costs', shown: rowsOf('Costs') });
  const audit = (query = ''): View => ({
    ...{ path: `/audit${query}`, title: 'Audit log', shown: rowsOf('Entries of the audit log') },
  });
  return [
    { path: '/', title: 'Now', shown: rowsOf('Top spenders today') },
    { path: '/live', title: 'Live', shown: '.pill[data-tone=good]' },
    events(),
    events(`?agent_id=${agentId}`),
    events('?model=rare-model'),
    events('?from=7d&pii_type=email'),
    // Nothing has failed: all is looked through.
    { ...events('?failed=true'), shown: '.empty' },
    { path: `/events/${eventId}`, title: 'Event', shown: 'dl.fields dd' },
    { path: '/refusals', title: 'Refusals', shown: rowsOf('Refused requests') },
    { path: `/find?id=${requestId}`, title: 'What became of a request', shown: rowsOf('Events') },
    { path: '/sessions', title: 'Sessions', shown: rowsOf('Sessions') },
    { path: `/sessions?agent_id=${agentId}`, title: 'Sessions', shown: rowsOf('Sessions') },
    { path: `/sessions/${sessionId}`, title: 'Session', shown: rowsOf('Turns') },
    agents(),
    agents('?order=seen'),
    agents('?order=name'),
    agents('?search=3&order=name'),
    agents('?page=5'),
    { path: `/agents/${agentId}`, title: agentName, shown: '.timeline li' },
    { path: '/budgets', title: 'Budgets', shown: rowsOf('Budgets of agents') },
    costs(),
    costs('?by=agent&from=30d'),
    costs('?by=tag&from=30d'),
    costs('?from=90d'),
    audit(),
    audit(`?agent_id=${agentId}`),
    audit('?page=100'),
    { path: '/start', title: 'Connect an agent', shown: '.code-block' },
    { path: '/keys', title: 'Keys and tokens', shown: rowsOf('API keys') },
  ];
}
