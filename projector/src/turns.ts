/** Undefined: done already. */
export type Later = Promise<void> | undefined;

/** Runs at most `many` tasks at once, first in, first out. */
export function atMost(many: number): (work: () => Later) => Later {
  const waiting: (() => void)[] = [];
  let running = 0;
  const ended = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  const run = (work: () => Later): Later => {
    let later: Later;
    try {
      later = work()?.finally(ended);
    } finally {
      if (later === undefined) ended();
    }
    return later;
  };
  return (work) => {
    if (running >= many) return new Promise<void>((resolve) => waiting.push(resolve)).then(() => run(work));
    running += 1;
    return run(work);
  };
}
