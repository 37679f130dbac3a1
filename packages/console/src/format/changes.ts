import type { ListedAuditEntry } from '@agp/core/contracts';
import { describeChange } from '@agp/core/explain';

/** What an entry of the audit log says was changed. */
export const tellChange = (entry: Parameters<typeof describeChange>[0]): string =>
  describeChange(entry, { arrow: ' → ', inWords: true });

/** Every action by the words for it. */
export const actionNames: Readonly<Record<string, string>> = {
  'agent.update': 'Agent changed',
  'agent.retire': 'Agent retired',
  'agent_token.create': 'Agent token made',
  'agent_token.delete': 'Agent token revoked',
  'name.release': 'Name released',
  'key.create': 'API key made',
  'key.rotate': 'API key rotated',
  'key.delete': 'API key deleted',
  'key.bootstrap': 'First API key set',
  'budget.global.set': 'Cap of all agents set',
  'budget.default.set': 'Cap of new agents set',
  'budget.agent.set': 'Cap set',
  'limit.default.set': 'Limit of new agents set',
  'limit.agent.set': 'Limit set',
  'pause.set': 'Pause',
  'policy.create': 'Policy made',
  'policy.update': 'Policy changed',
  'policy.delete': 'Policy removed',
  'request.refused': 'Requests refused',
  'events.retention': 'Old events removed',
  'console.link': 'Sign-in link made',
  'console.sign_in': 'Signed in',
  'console.sign_out': 'Signed out',
  'console.refused': 'Sign-in refused',
  'console.replace': 'Session replaced by a sign-in',
  'console.revoke': 'Session ended',
};

/** An action in words; its own name if this version does not know it. */
export function nameAction(action: string): string {
  return Object.hasOwn(actionNames, action) ? (actionNames[action] as string) : action;
}

/** Whether an entry sums up the minute that begins at its time. */
export function sumsUpMinute(action: string): boolean {
  return action === 'request.refused';
}

/** Who made a change. */
export function nameActor(actor: ListedAuditEntry['actor']): string {
  return 'name' in actor ? actor.name : actor.kind;
}
