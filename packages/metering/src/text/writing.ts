export interface Writing {
  parts: readonly string[];
  /**
   * Strings of the same body that no model reads or wrote: searched for PII, never counted as tokens. Absent if not gathered.
   */
  beside?: readonly string[];
  /** False if some of it was cut off at a bound, or could not be read. */
  whole: boolean;
  of?: 'request';
}

export type Write = (channel: string, text: string) => void;
