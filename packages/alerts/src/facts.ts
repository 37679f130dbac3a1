/** A message in two lines: the first says it all. */
export interface Told {
  title: string;
  detail: string;
}

export interface UsedFacts {
  name: string;
  /** Of a split budget, whose. */
  whose: string | null;
  percent: number;
  /** With their unit. */
  used: string;
  amount: string;
  /** Null if it never begins anew. */
  until: string | null;
  /** What is expected at its end, with its unit, if that is what the alert is of. */
  expected: string | null;
  /** What is refused until then, as the start of a sentence; absent if nothing is. */
  refusing?: string;
  /** Less than all is used, and it refused a request. */
  tight?: boolean;
}

/** How a number is shared out among agents. */
export interface Shares {
  count: number;
  /** How many have a part in it. */
  agents: number;
  /** Those with the greatest parts, the greatest first; three at most. */
  most: { name: string; count: number }[];
}

/** What is shared out is failures. */
export interface FailingFacts extends Shares {
  what: 'agent' | 'model' | 'provider';
  name: string;
  failed: number;
  requests: number;
  /** The part of the week before that failed; null without requests. */
  before: number | null;
  /** The most frequent end, such as a status. */
  mostly: string | null;
}

export interface ChangeFacts {
  title: string;
  reason: string | null;
  change: string;
}

export interface PolicyFacts extends Shares {
  policy: string;
  action: string;
  rules: string[];
  minutes: number;
}

export interface PiiFacts extends Shares {
  type: string;
  tags: string[];
  minutes: number;
}

export interface SeenFacts {
  what: string;
  name: string;
  agent: string | null;
}

export interface CostFacts {
  what: 'unpriced' | 'doubtful';
  name: string;
  count: number;
  /** How many models of that provider have no price; the name is that of the one used last. */
  models: number;
}

export interface RefusalFacts extends Shares {
  reason: string;
  minutes: number;
}

export interface SurgeFacts {
  /** Or the value of the label. */
  agent: string;
  /** What several are known by together. */
  label?: string;
  /** Those that did most of it, if they are several. */
  agents?: string[];
  what: 'requests' | 'usd';
  /** With its unit, if it is money. */
  count: string;
  /** The most of an hour of the week before; null if there was none. */
  before: string | null;
  minutes: number;
}

export interface ChainFacts {
  chain: string;
  at: number;
}
