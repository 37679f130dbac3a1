/** Whom something that all share is counted for. */
export interface Holder {
  /** UUID */
  agentId: string;
  /** The network that the request came from, where nothing but its own word says who the agent is; null with a token. */
  source: string | null;
}
