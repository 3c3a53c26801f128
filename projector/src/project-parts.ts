import {
  type Every,
  everyByTimer,
  GenerationReplaced,
  lastProjected,
  lowestPosition,
  noParts,
  type Parts,
  type Position,
  sleep as sleepByTimer,
  type Sleep,
} from '@rollcall/application/read';
import type { PartLeases } from './part-leases.js';
import type { Processor } from './processor.js';
import type { ProjectionRun } from './projection-run.js';
import { isReached, subscribe } from './subscribe.js';

/** How often a projector reads the leases. */
export const pollMs = 1_000;

const waitMs = 100;

export interface PartsRun extends ProjectionRun {
  readonly sleep?: Sleep | undefined;
  readonly every?: Every | undefined;
}

export interface PartsUntil {
  readonly signal: AbortSignal;
  /** Until all parts have come to it, those of other projectors too. */
  readonly position?: Position;
  readonly moved?: () => void;
  /** Rejects with `GenerationReplaced` once there is nothing more to do. */
  readonly ensure?: () => Promise<void>;
}

/** Projects this projector's share of the parts, which changes as others come and go. Finished at a checkpoint before it is given up. */
export async function projectParts(run: PartsRun, leases: PartLeases, until: PartsUntil): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([until.signal, over.signal]);
  const share = new Share(run, leases, { ...until, signal });
  const { sleep = sleepByTimer, every = everyByTimer } = run;
  const stop = every(pollMs, () =>
    share.poll().catch((error: unknown) => {
      if (error instanceof GenerationReplaced) over.abort();
    }),
  );
  try {
    while (!signal.aborted && !(await share.isDone()))
      if ((await share.project()) === 'overtaken') await sleep(pollMs, signal);
  } finally {
    stop();
  }
  await leases.release().catch(() => undefined);
}

class Share {
  readonly #run: PartsRun;
  readonly #leases: PartLeases;
  readonly #until: PartsUntil;
  #parts: Parts = noParts;
  #processor: Processor | undefined;
  #hasMoved = false;
  #changed = new AbortController();

  constructor(run: PartsRun, leases: PartLeases, until: PartsUntil) {
    this.#run = run;
    this.#leases = leases;
    this.#until = until;
  }

  async isDone(): Promise<boolean> {
    const { position } = this.#until;
    return position !== undefined && isReached((await this.#run.readModels.progress()).position, position);
  }

  async poll(): Promise<void> {
    await this.#until.ensure?.();
    if (await this.#leases.poll(() => this.#isWorking())) this.#changed.abort();
  }

  /** Until the share changes, or all is done. */
  async project(): Promise<'done' | 'overtaken'> {
    this.#changed = new AbortController();
    this.#parts = await this.#leases.take();
    const signal = AbortSignal.any([this.#until.signal, this.#changed.signal]);
    const outcome = this.#parts === noParts ? 'done' : await this.#subscribe(signal);
    const { sleep = sleepByTimer } = this.#run;
    while (outcome === 'done' && !signal.aborted && !(await this.isDone())) await sleep(waitMs, signal);
    return outcome;
  }

  async #subscribe(signal: AbortSignal): Promise<'done' | 'overtaken'> {
    const { position, moved } = this.#until;
    const onMoved = (): void => {
      this.#hasMoved = true;
      moved?.();
    };
    const onOpen = (processor: Processor): void => void (this.#processor = processor);
    try {
      return await subscribe(this.#run, { signal, position, parts: this.#parts, moved: onMoved, onOpen });
    } finally {
      this.#processor = undefined;
    }
  }

  /** False where this projector stands still though there is work, as with a subscription that is silently dead. */
  async #isWorking(): Promise<boolean> {
    const hasMoved = this.#hasMoved;
    this.#hasMoved = false;
    if (hasMoved || this.#processor === undefined || this.#processor.isBusy()) return true;
    const last = await lastProjected(this.#run.log);
    return (
      last === undefined ||
      isReached(lowestPosition(await this.#run.readModels.progress(), this.#parts), last)
    );
  }
}
