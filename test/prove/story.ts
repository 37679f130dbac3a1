/** What a story measured, by name, as the table shows it. */
export type Figures = Record<string, string | number>;

/** Takes figures as soon as they are known, so that the table has them also where the promise is then found broken. */
export type Report = (figures: Figures) => void;

/** One promise of the product, held against a load. */
export interface Story {
  /** For `--only`. */
  name: string;
  promise: string;
  /** Told only where `--only` asks for it. */
  isApart?: boolean;
  /** Rejects where the promise is broken. */
  run(report: Report): Promise<unknown>;
}

/** For the short forms of stories, whose figures nobody reads. */
export const unreported: Report = () => {};

export const milliseconds = (ms: number) => `${ms.toFixed(0)} ms`;

/** @throws where something took longer than is promised; short forms promise no time */
export function expectWithin(what: string, ms: number, promisedMs: number | undefined): void {
  if (promisedMs !== undefined && ms > promisedMs)
    throw new Error(`${what}: ${milliseconds(ms)}, promised are ${milliseconds(promisedMs)}`);
}
