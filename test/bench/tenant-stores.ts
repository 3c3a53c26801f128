import { lastProjected, readModelsVersion } from '@rollcall/application';
import { openAdapters, type Adapters } from '@rollcall/adapters';
import { lagInEvents } from '@rollcall/host';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** The stores of a running installation, looked at from beside it. */
export class TenantStores {
  readonly #adapters: Adapters;

  private constructor(adapters: Adapters) {
    this.#adapters = adapters;
  }

  static async open(dataDir: string): Promise<TenantStores> {
    const config = { ...embeddedAdapters(dataDir), projections: readModelsVersion };
    return new TenantStores(await openAdapters(config));
  }

  /** How many events the read models do not have yet; counted up to 10,000. */
  async behind(): Promise<number> {
    const { position } = await this.#adapters.readModels.progress();
    return lagInEvents(this.#adapters.log, position, AbortSignal.timeout(5_000));
  }

  /** Until the read models have all that stands in the log now. */
  async caughtUp(withinMs: number): Promise<void> {
    const position = await lastProjected(this.#adapters.log);
    if (position === undefined) return;
    if (!(await this.#adapters.readModels.reachedPosition(position, withinMs)))
      throw new Error('The read models have not caught up in time');
  }

  close(): Promise<void> {
    return this.#adapters.close();
  }
}
