import { collectDefaultMetrics, Registry } from 'prom-client';
import { ReadModelsBuilding, sharing, within } from '@rollcall/application';
import { commit } from '@rollcall/contracts';
import { version } from '@rollcall/adapters';
import { createFamilies, type Families, type Reading } from './families.js';

/** A later result is left out of the scrape. */
const PROBE_MS = 2_000;

const LOOP_LAG_EVERY_MS = 100;

interface Probe {
  /** For `rollcall_scrape_errors_total`. */
  readonly part: string;
  /** Gauges that have no value after a failure. */
  readonly gauges: readonly Pick<Reading, 'forget'>[];
  /** Returns the function that sets the gauges. The signal aborts a late read. */
  readonly read: (signal: AbortSignal) => Promise<() => void>;
}

interface Watched {
  readonly probe: Probe;
  /** A store that hangs is asked once, by all scrapes together. */
  readonly read: () => Promise<() => void>;
}

export class Metrics {
  readonly registry = new Registry();
  readonly families: Families = createFamilies(this.registry);
  readonly #probes: Watched[] = [];
  readonly #before: (() => void)[] = [];

  /** Without `defaults` there is no CPU, memory and event loop, which the threads of a process share. */
  constructor({ defaults = true } = {}) {
    this.families.buildInfo.set({ version, commit: commit ?? '', node: process.versions.node }, 1);
    // The default samples the loop 100 times a second: most of an idle process's work.
    if (defaults)
      collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LOOP_LAG_EVERY_MS });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  watch(probe: Probe): void {
    const read = sharing(() => probe.read(AbortSignal.timeout(PROBE_MS)));
    this.#probes.push({ probe, read });
    clear(probe);
    this.families.scrapeErrors.inc({ part: probe.part }, 0);
  }

  watchOne(part: string, gauge: Reading, valueOf: (signal: AbortSignal) => Promise<number>): void {
    const read = async (signal: AbortSignal): Promise<() => void> => {
      const value = await valueOf(signal);
      return () => gauge.set(value);
    };
    this.watch({ part, gauges: [gauge], read });
  }

  /** Called before each scrape, for numbers that are counted elsewhere. */
  beforeScrape(take: () => void): void {
    this.#before.push(take);
  }

  /** In Prometheus' text format. Never hangs or fails because of a store. */
  async scrape(): Promise<string> {
    await Promise.all(this.#probes.map((watched) => this.#look(watched)));
    for (const take of this.#before) take();
    return this.registry.metrics();
  }

  async #look({ probe, read }: Watched): Promise<void> {
    try {
      const show = await within(read(), PROBE_MS);
      clear(probe);
      show();
    } catch (error) {
      clear(probe);
      if (!(error instanceof ReadModelsBuilding)) this.families.scrapeErrors.inc({ part: probe.part });
    }
  }
}

function clear({ gauges }: Probe): void {
  for (const gauge of gauges) gauge.forget();
}
