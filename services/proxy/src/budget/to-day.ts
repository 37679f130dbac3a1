/** @returns the UTC day of a time in milliseconds since 1970, `YYYY-MM-DD` */
export const toDay = (timestamp: number): string => new Date(timestamp).toISOString().slice(0, 10);
