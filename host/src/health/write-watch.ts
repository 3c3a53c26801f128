import { sharing, within } from '@rollcall/application/read';
import { outage, type HealthProblem } from './health.js';
import type { ObserveEventLog } from '../event-log/watched-log.js';
import type { WritePlace } from './write-places.js';

const probeMs = 2_000;

interface Watched {
  readonly place: WritePlace;
  readonly probe: () => Promise<void>;
}

const watchedOf = (place: WritePlace): Watched => ({ place, probe: sharing(() => place.probe()) });

/** Whether this process can write. Probes when space is scarce, and after a failed write until one or all probes succeed. */
export class WriteWatch {
  readonly #watched: Watched[];
  #failed = false;

  constructor(places: readonly WritePlace[]) {
    this.#watched = places.map(watchedOf);
  }

  watch(place: WritePlace): void {
    this.#watched.push(watchedOf(place));
  }

  readonly observe: ObserveEventLog = (operation, _seconds, failed) => {
    if (operation === 'append') this.#failed = failed;
  };

  /** Reports a failure that may have been a write. */
  readonly suspect = (): void => {
    this.#failed = true;
  };

  /** Answers within 2 s, and never throws. */
  async problems(): Promise<HealthProblem[]> {
    const failed = this.#failed;
    const found = (await Promise.all(this.#watched.map((one) => problemsOf(one, failed)))).flat();
    if (failed && found.length === 0) this.#failed = false;
    return found;
  }
}

function cannotBeWritten({ name }: WritePlace, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
  return `the ${name} cannot be written: ${code}`;
}

async function problemsOf({ place, probe }: Watched, failed: boolean): Promise<HealthProblem[]> {
  try {
    if (failed || (await within(place.isScarce(), probeMs / 2))) await within(probe(), probeMs / 2);
    return [];
  } catch (error) {
    const problem = place.problemOf === undefined ? cannotBeWritten(place, error) : place.problemOf();
    return problem === undefined ? [] : [outage(problem)];
  }
}
