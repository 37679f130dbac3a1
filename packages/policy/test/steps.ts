/** Lets work do all its steps. */
export function finish<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Counts how often items of lists are read, which is what work with them costs on a machine of any speed. */
export class Reads {
  count = 0;

  of<Item>(list: Item[]): Item[] {
    return new Proxy(list, {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) this.count += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  }
}
