export interface QuietOptions {
  /** 200 ms by default. */
  readonly everyMs?: number;
  /** The share of this thread's time that work took since the last look. */
  readonly worked?: () => number;
}

/** The share up to which a look counts as quiet. */
const quiet = 0.25;

/** Starts what calls can do without once they leave this thread mostly free; ends with `clearInterval`. */
export function onceQuiet(
  start: () => void,
  { everyMs = 200, worked = sinceLast() }: QuietOptions = {},
): NodeJS.Timeout {
  const timer = setInterval(() => {
    if (worked() > quiet) return;
    clearInterval(timer);
    start();
  }, everyMs);
  return timer.unref();
}

function sinceLast(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    return utilization;
  };
}
