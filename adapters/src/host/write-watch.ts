import { within } from '@rollcall/application/read';
import { outage, type HealthProblem } from './health.js';
import type { ObserveEventLog } from './metrics/measured-event-log.js';
import type { WritePlace } from './write-places.js';

const probeMs = 2_000;

interface Watched {
  readonly place: WritePlace;
  probing: Promise<void> | undefined;
}

/**
 * Whether this process can write. The places that it writes to are tried where little is free, and after a write has failed,
 * until one succeeds or all of them take the probe.
 */
export class WriteWatch {
  readonly #watched: Watched[];
  #failed = false;

  constructor(places: readonly WritePlace[]) {
    this.#watched = places.map((place) => ({ place, probing: undefined }));
  }

  /** Another place that this process writes to. */
  watch(place: WritePlace): void {
    this.#watched.push({ place, probing: undefined });
  }

  /** To be told the calls of the event log. */
  readonly observe: ObserveEventLog = (operation, _seconds, failed) => {
    if (operation === 'append') this.#failed = failed;
  };

  /** Something was not done that may have been a write. */
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
