import { openEmbeddedQueue, openNatsQueue } from '@rollcall/adapters';
import type { Clock, Queue } from '@rollcall/application';

export interface OpenOptions {
  readonly ackDeadlineMs: number;
  /** For adapters whose time is an argument; the others live in real time. */
  readonly clock?: Clock;
}

/** Every adapter by name; a location is whatever finds the same queue again from another process. */
export const openers: Readonly<Record<string, (location: string, options: OpenOptions) => Promise<Queue>>> = {
  embedded: (location, options) => openEmbeddedQueue({ folder: location, ...options }),
  nats: (location, { ackDeadlineMs }) => {
    const [url = '', streamPrefix = ''] = location.split(' ');
    return openNatsQueue({ url, streamPrefix, ackDeadlineMs });
  },
};

export function openQueue(adapter: string, location: string, options: OpenOptions): Promise<Queue> {
  const opener = openers[adapter];
  if (opener === undefined) throw new Error(`No adapter is called ${adapter}`);
  return opener(location, options);
}
