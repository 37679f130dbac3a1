import { ApiError } from '@agp/core/errors';
import type { StoredRules } from '@agp/db';
import { policySchema, prepareRules, type RuleSet } from '@agp/policy';

interface RulesOptions {
  /** Reads all policies and their version, after it is called. */
  read(deadline: number): Promise<StoredRules>;
  /** Gets the name of a policy that this version of the proxy cannot read. */
  onUnreadable(name: string): void;
}

/** The policies of the installation, read again as soon as a request's own read shows another version. */
export class Rules {
  readonly #options: RulesOptions;
  #held: RuleSet | null = null;

  constructor(options: RulesOptions) {
    this.#options = options;
  }

  /**
   * The policies at a version that was just read, or at a later one.
   * @param deadline on the monotonic clock in milliseconds
   * @throws ApiError `status_unavailable` if they cannot be read: what is forbidden must not pass
   */
  async at(version: number, deadline: number): Promise<RuleSet> {
    if (this.#held?.version === version) return this.#held;
    const stored = await this.#options.read(deadline);
    // Many requests may have waited for one read: the first prepares them.
    if (this.#held?.version === stored.version) return this.#held;
    const policies = stored.policies.map(({ version: own, policy }) => ({ version: own, policy: this.#parse(policy) }));
    this.#held = prepareRules(stored.version, policies);
    return this.#held;
  }

  #parse(stored: unknown) {
    const { data, success } = policySchema.safeParse(stored);
    if (success) return data;
    this.#options.onUnreadable(String((stored as { name?: unknown }).name));
    throw new ApiError('status_unavailable');
  }
}
