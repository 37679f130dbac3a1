/** One conversation of the demo: an agent asks its questions one after the other, in one session. */
export interface Conversation {
  agent: string;
  api: 'openai' | 'anthropic';
  model: string;
  stream: boolean;
  instructions: string;
  questions: string[];
}

/** The conversations of the demo; some agents hold more than one. */
export const conversations: Conversation[] = [
  {
    agent: 'support-triage',
    api: 'openai',
    model: 'gpt-5-mini',
    stream: true,
    instructions: 'You sort support tickets by urgency and name the team that should answer.',
    questions: [
      'A customer says that every invoice since Monday shows the wrong currency. How urgent is that?',
      'Which team should own the currency problem while billing is short of people?',
      'Write the first reply to the customer, without promising a date.',
    ],
  },
  {
    agent: 'support-triage',
    api: 'openai',
    model: 'gpt-5-mini',
    stream: false,
    instructions: 'You sort support tickets by urgency and name the team that should answer.',
    questions: ['Password reset emails arrive an hour late for some customers. What should we check first?'],
  },
  {
    agent: 'release-notes',
    api: 'anthropic',
    model: 'claude-sonnet-5',
    stream: true,
    instructions: 'You turn merged changes into release notes that customers understand.',
    questions: [
      'Summarise these changes: faster export, new webhook signature, fixed timezone of weekly reports.',
      'Which of them needs a warning, because customers have to change something?',
    ],
  },
  {
    agent: 'contract-reader',
    api: 'anthropic',
    model: 'claude-opus-5-5',
    stream: false,
    instructions: 'You find obligations and deadlines in contracts and quote the clause.',
    questions: [
      'Which notice period applies if the supplier misses two deliveries in a quarter?',
      'Does the liability cap also cover data protection claims?',
    ],
  },
  {
    agent: 'warehouse-planner',
    api: 'openai',
    model: 'gpt-4o-mini',
    stream: false,
    instructions: 'You plan stock moves between three warehouses.',
    questions: [
      'Stock in Rotterdam covers nine days, in Lyon thirty. What should move this week?',
      'What changes if the Lyon trucks can only leave on Thursday?',
      'Put the plan into three short steps for the morning meeting.',
    ],
  },
];
