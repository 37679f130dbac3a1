import { ApiError } from '@agp/core/errors';
import { toEventText } from '@agp/core/events';
import type { Finding } from './decide.ts';

/** The longest text of policy, rule and reason, in UTF-16 units: an agent chooses names in it. */
const maxDecidedBy = 400;

/** Says to an agent what refused or ended its request. */
export class PolicyDenied extends ApiError {
  readonly finding: Finding;

  constructor(finding: Finding) {
    const { policy, rule, reason } = finding;
    const hint = policy.refusal?.replaceAll('{rule}', rule).replaceAll('{policy}', policy.name);
    super(
      'policy_denied',
      `denied by policy ${policy.name} (rule ${rule}): ${reason}${hint === undefined ? '' : `; ${hint}`}`,
    );
    this.finding = finding;
  }

  /** `policy rule: why`, as lists of refusals show it. */
  get decidedBy(): string {
    const { policy, rule, reason } = this.finding;
    return toEventText(`${policy.name} ${rule}: ${reason}`, maxDecidedBy);
  }
}
