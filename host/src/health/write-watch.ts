import { sharing, within } from '@rollcall/application/read';
import { outage, type HealthProblem } from './health.js';
import type { ObserveEventLog } from '../event-log/watched-log.js';
import type { WritePlace } from './write-places.js';

interface Watched {
  readonly place: WritePlace;
  readonly probe: () => Promise<void>;
  /** The failures before the latest probe that succeeded, late or not. */
  outlived: number;
}

/** Whether this process can write. Probes a place when space is scarce, and after a failed write until it or an append succeeds. */
export class WriteWatch {
  readonly #watched: Watched[] = [];
  #failures = 0;
  /** For the look at a place's space, and for its probe. */
  readonly #waitMs: number;

  constructor(places: readonly WritePlace[], waitMs = 1_000) {
    this.#waitMs = waitMs;
    for (const place of places) this.watch(place);
  }

  watch(place: WritePlace): void {
    const probe = sharing(async () => {
      const failures = this.#failures;
      await place.probe();
      watched.outlived = Math.max(watched.outlived, failures);
    });
    const watched: Watched = { place, probe, outlived: 0 };
    this.#watched.push(watched);
  }

  readonly observe: ObserveEventLog = (operation, _seconds, failed) => {
    if (operation !== 'append') return;
    if (failed) this.suspect();
    else for (const one of this.#watched) one.outlived = this.#failures;
  };

  /** Reports a failure that may have been a write. */
  readonly suspect = (): void => {
    this.#failures += 1;
  };

  /** Answers within two waits, and never throws. */
  async problems(): Promise<HealthProblem[]> {
    const found = this.#watched.map((one) => problemsOf(one, one.outlived < this.#failures, this.#waitMs));
    return (await Promise.all(found)).flat();
  }
}

function cannotBeWritten({ name }: WritePlace, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
  return `the ${name} cannot be written: ${code}`;
}

async function problemsOf({ place, probe }: Watched, failed: boolean, ms: number): Promise<HealthProblem[]> {
  try {
    if (failed || (await within(place.isScarce(), ms))) await within(probe(), ms);
    return [];
  } catch (error) {
    const problem = place.problemOf === undefined ? cannotBeWritten(place, error) : place.problemOf();
    return problem === undefined ? [] : [outage(problem)];
  }
}
