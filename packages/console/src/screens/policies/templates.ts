import { changeText } from '@agp/documents/yaml';

interface Template {
  label: string;
  /** Of a policy, as they are written. */
  members: Readonly<Record<string, unknown>>;
}

/** What many begin with; each is a draft that observes. */
export const templates: Readonly<Record<string, Template>> = {
  'cards-stay': { label: 'Cards never leave', members: { pii: { request: { payment_card: 'block' } } } },
  'secrets-stay': { label: 'Keys and passwords never leave', members: { pii: { request: { secrets: 'block' } } } },
  'people-as-labels': {
    label: 'Personal data goes out as labels, and comes back as it was',
    members: { pii: { request: { contact: 'redact', identity: 'redact', payment: 'redact' }, restore: true } },
  },
  'eu-only': { label: 'EU only, and nothing is kept there', members: { where: { geo: ['eu'], store: false } } },
  'no-shell': {
    label: 'No shell',
    members: {
      description:
        'Tools that run commands, by their names: they are taken out of requests, and an answer that calls one ends. Not covered: such tools under other names, and MCP servers, whose tools the provider calls.',
      tools: {
        client: { deny: ['*shell*', '*bash*', '*terminal*', 'exec*', 'run_command*'] },
        hosted: { deny: ['*shell*', '*bash*', '*code_execution*', 'code_interpreter*'] },
        on_declared: 'strip',
        on_call: 'block',
      },
    },
  },
};

/** A text that says what a template says. @param prefix of a team's names */
export const applyTemplate = (text: string, name: string, prefix: string): string =>
  Object.entries(templates[name]?.members ?? {}).reduce(
    (said, [member, value]) => changeText(said, [member], value),
    changeText(text, ['name'], prefix + name),
  );
