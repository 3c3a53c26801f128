import { probe, type Probe } from './probes.js';

/** What the process of the small callers is told: begin with these calls, or end and tell. */
export type ToSmallCallers = { readonly begin: readonly Probe[] } | 'tell';

let under: { readonly stop: AbortController; readonly times: Promise<number[][]> } | undefined;

process.on('message', (message: ToSmallCallers) => {
  if (message !== 'tell') {
    const stop = new AbortController();
    under = { stop, times: Promise.all(message.begin.map((each) => probe(each, stop.signal))) };
    return;
  }
  under?.stop.abort();
  void under?.times.then((times) => process.send?.(times));
});
process.send?.('ready');
