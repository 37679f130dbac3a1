/** The agent, and its network, that a share is counted for. */
export interface Holder {
  /** UUID */
  agentId: string;
  /** The network that the request came from, if the agent has only declared its name; null with a token. */
  source: string | null;
}
