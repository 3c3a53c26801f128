import { within } from '@rollcall/application/read';
import { outage, type HealthProblem } from './health.js';
import type { ObserveEventLog } from '../event-log/measured-event-log.js';
import type { WritePlace } from './write-places.js';

const probeMs = 2_000;

interface Watched {
  readonly place: WritePlace;
  probing: Promise<void> | undefined;
}

/** Whether this process can write. Probes when space is scarce, and after a failed write until one or all probes succeed. */
export class WriteWatch {
  readonly #watched: Watched[];
  #failed = false;

  constructor(places: readonly WritePlace[]) {
    this.#watched = places.map((place) => ({ place, probing: undefined }));
  }

  watch(place: WritePlace): void {
    this.#watched.push({ place, probing: undefined });
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

async function problemsOf(watched: Watched, failed: boolean): Promise<HealthProblem[]> {
  const { place } = watched;
  try {
    if (failed || (await within(place.isScarce(), probeMs / 2))) {
      watched.probing ??= place.probe().finally(() => (watched.probing = undefined));
      await within(watched.probing, probeMs / 2);
    }
    return [];
  } catch (error) {
    const problem = place.problemOf === undefined ? cannotBeWritten(place, error) : place.problemOf();
    return problem === undefined ? [] : [outage(problem)];
  }
}
