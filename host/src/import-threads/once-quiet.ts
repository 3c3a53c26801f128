interface QuietOptions {
  /** 200 ms by default. */
  readonly everyMs?: number;
  /** The share that work took since the last look. */
  readonly worked?: () => number;
}

/** The share up to which a look counts as quiet. */
const quiet = 0.25;

/** Starts what calls can do without once the process has little to do; ends with `clearInterval`. */
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

/** The larger share of these: this thread's time at work, and one processor's time for all threads of the process. */
export function sinceLast(): () => number {
  const look = () => ({
    at: performance.now(),
    loop: performance.eventLoopUtilization(),
    spent: process.cpuUsage(),
  });
  let last = look();
  return () => {
    const { at, loop, spent } = last;
    const { user, system } = process.cpuUsage(spent);
    const { utilization } = performance.eventLoopUtilization(loop);
    last = look();
    return Math.max(utilization, (user + system) / 1_000 / (last.at - at));
  };
}
