import { leaveFolders } from '@rollcall/host';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** An interrupted command removes its in-use mark: it has not crashed. */
export function leaveOnSignals(): () => void {
  const leave = (signal: NodeJS.Signals): void => {
    forget();
    leaveFolders();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    for (const signal of signals) process.removeListener(signal, leave);
  };
  for (const signal of signals) process.on(signal, leave);
  return forget;
}
