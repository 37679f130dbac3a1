/** How long work may keep the event loop from all else, in milliseconds. */
const turnMs = 10;

/** When the work of this turn began; null in a turn that has not seen any. */
let began: number | null = null;
let last: Promise<void> = Promise.resolve();

function begin(): void {
  began = performance.now();
  setImmediate(() => {
    began = null;
  });
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(() => {
      begin();
      resolve();
    });
  });

/**
 * Long work asks after each step, and waits for what it gets: all such work together has one turn, then others are served, and then what waits
 * longest goes on.
 * @returns undefined while the turn lasts
 */
export function endTurn(): Promise<void> | undefined {
  if (began === null) begin();
  else if (performance.now() - began >= turnMs) {
    last = last.then(nextTurn);
    return last;
  }
  return undefined;
}

/** Does the steps of long work in turns. */
export async function inTurns<Result>(work: Generator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const rest = endTurn();
    if (rest !== undefined) await rest;
  }
}
