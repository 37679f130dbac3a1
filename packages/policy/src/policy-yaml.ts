import { type Faults, readText } from '@agp/documents/yaml';
import { type Policy, policySchema } from './schema.ts';

/** What a policy in YAML or JSON says, or what is wrong with it, each at its place. */
export function readPolicy(text: string): { policy: Policy; faults: [] } | { policy: null; faults: Faults } {
  const { value, faults } = readText(text, policySchema, 'policy');
  return value === null ? { policy: null, faults } : { policy: value, faults };
}
