import type {
  DamageFinder,
  EventReader,
  EventSubscriber,
  LoadedEvent,
  Position,
  ProcessLogger,
  ReadModelReader,
  ReadModelWriter,
} from '@rollcall/application/read';
import type { Projection } from './projection.js';

export interface ProjectionRun {
  readonly log: EventReader & EventSubscriber & DamageFinder;
  readonly readModels: ReadModelReader & ReadModelWriter;
  readonly projections: readonly Projection[];
  /** Ends it between two parts of a large event too. */
  readonly signal?: AbortSignal;
  readonly logger?: ProcessLogger;
  /** Called once for each event after everything of it is applied; what it throws costs a warning, unless it is an outage. */
  readonly onApplied?: (event: LoadedEvent) => Promise<void>;
  /** Takes streams whose large events are not to hold up the others; what it does not want is projected in its turn. */
  readonly lane?: ProcessorInFlight;
  /** Lets one after the other write, where several of this process do. */
  readonly exclusive?: Exclusive;
}

export interface ProcessorInFlight {
  wants(position: Position): boolean;
  take(stream: string): void;
}

export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** One piece of work at a time, in the order in which they come. */
export function oneAtATime(): Exclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

export const exclusively = <T>({ exclusive }: ProjectionRun, work: () => Promise<T>): Promise<T> =>
  exclusive ? exclusive(work) : work();
