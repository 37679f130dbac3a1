import type { Db, TargetRow } from '@agp/db';
import type { Tested } from '@agp/notifications';
import type { Logger } from '@agp/runtime';
import type { ManagementConfig } from '../config.ts';

/** Delivers messages to targets: each at least once, those of one subject in their order, and no target waits for another. */
export class Notifier {
  readonly #db: Db;

  constructor(db: Db, _config: ManagementConfig, _logger: Logger) {
    this.#db = db;
  }

  /** Sends a test message once. Never rejects. */
  async test(_target: TargetRow): Promise<Tested> {
    return { delivered: false, status: null, error: 'not built yet' };
  }

  /** Looks for messages at once. */
  wake(): void {}

  async stop(): Promise<void> {
    void this.#db;
  }
}
