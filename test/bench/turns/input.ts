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
  body?: Text;
  reply?: { type: string; body: Text };
  /** What the check answers. */
  check?: string;
}

/** Or what makes it, for a large one: in the caller's thread alone, so that the services' memory does not hold it. */
type Text = string | (() => string);
