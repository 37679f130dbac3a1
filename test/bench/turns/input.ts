/** What one caller sends, the worst that is known of its kind. */
export interface Input {
  /** Who can send it. */
  entrance: string;
  name: string;
  /** Set before, in place of all others. */
  policies?: readonly object[];
  /** To management, with a key; to the proxy if absent. */
  key?: 'admin' | 'read' | 'team';
  path: string;
  method: string;
  body?: string;
  reply?: { type: string; body: string };
  /** What the check answers. */
  check?: string;
}
