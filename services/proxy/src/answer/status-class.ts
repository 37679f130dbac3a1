/** Classes of a provider's status. 429 has its own: it is the account's limit, not a fault of the request. */
export const statusClasses = ['2xx', '3xx', '4xx', '429', '5xx'] as const;

export type StatusClass = (typeof statusClasses)[number];

/** @param status of a final answer, 200 or more; those above 599 are in no standard and count as errors of the server */
export function toStatusClass(status: number): StatusClass {
  if (status === 429) return '429';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}
