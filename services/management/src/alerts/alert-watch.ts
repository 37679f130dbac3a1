import type { Db } from '@agp/db';
import { kinds, type Rule, type RulePreview, tell } from '@agp/notifications';

/** Looks for causes of alerts, in whichever process holds the work. */
export class AlertWatch {
  /** What a rule would have open now. */
  async preview(_db: Db, { on }: Rule): Promise<RulePreview> {
    return { count: 0, alerts: [], example: tell(on, kinds[on].example) };
  }

  async stop(): Promise<void> {}
}
