import { collectDefaultMetrics, Registry } from 'prom-client';
import { within } from '@rollcall/application';
import { version } from '../../version.js';
import { createFamilies, type Families, type Reading } from './families.js';

/** What is looked up for a scrape and has not come by then is left out of it. */
const PROBE_MS = 2_000;

/** How often the event loop's lag is looked at. */
const LOOP_LAG_EVERY_MS = 100;

export interface Probe {
  /** For `rollcall_scrape_errors_total`. */
  readonly part: string;
  /** What it sets; they have no value where it fails. */
  readonly gauges: readonly Pick<Reading, 'forget'>[];
  /** Looks it up, and gives what sets the gauges. The signal aborts when the answer is late. */
  readonly read: (signal: AbortSignal) => Promise<() => void>;
}

export interface MetricsOptions {
  /** False: without those of the process itself (CPU, memory, event loop), of which each thread has the same. */
  readonly defaults?: boolean;
  readonly probeMs?: number;
}

interface Watched {
  readonly probe: Probe;
  running: Promise<() => void> | undefined;
}

/** The metrics of one process. */
export class Metrics {
  readonly registry = new Registry();
  readonly families: Families = createFamilies(this.registry);
  readonly #probes: Watched[] = [];
  readonly #before: (() => void)[] = [];
  readonly #probeMs: number;

  constructor({ defaults = true, probeMs = PROBE_MS }: MetricsOptions = {}) {
    this.#probeMs = probeMs;
    this.families.buildInfo.set({ version, node: process.versions.node }, 1);
    // By default the loop is looked at 100 times a second, which is most of what an idle process does.
    if (defaults)
      collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LOOP_LAG_EVERY_MS });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Looks something up in a store at each scrape. */
  watch(probe: Probe): void {
    this.#probes.push({ probe, running: undefined });
    clear(probe);
    this.families.scrapeErrors.inc({ part: probe.part }, 0);
  }

  /** Called before each scrape, for numbers that are counted elsewhere. */
  beforeScrape(take: () => void): void {
    this.#before.push(take);
  }

  /** In Prometheus' text format. Never hangs and never fails because a store is away. */
  async scrape(): Promise<string> {
    await Promise.all(this.#probes.map((watched) => this.#look(watched)));
    for (const take of this.#before) take();
    return this.registry.metrics();
  }

  async #look(watched: Watched): Promise<void> {
    const { probe } = watched;
    // A store that hangs is asked once, however many scrapes wait for it.
    watched.running ??= probe.read(AbortSignal.timeout(this.#probeMs)).finally(() => {
      watched.running = undefined;
    });
    try {
      const show = await within(watched.running, this.#probeMs);
      clear(probe);
      show();
    } catch {
      clear(probe);
      this.families.scrapeErrors.inc({ part: probe.part });
    }
  }
}

function clear({ gauges }: Probe): void {
  for (const gauge of gauges) gauge.forget();
}
