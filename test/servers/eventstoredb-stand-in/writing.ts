import type { Metadata } from '@grpc/grpc-js';
import type { Expected } from './decisions.js';
import type { Failure } from './errors.js';
import type { Action, Caller, Rights } from './rights.js';
import type { Standing } from './standing.js';
import type { AppendOutcome, DeleteOutcome, ProposedEvent, Store } from './store.js';

/** A write was not decided at all. */
export class Refused extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.details);
    this.failure = failure;
  }
}

export interface WritingPlace {
  readonly store: Store;
  readonly rights: Rights;
  readonly standing: Standing;
}

/** The writes of one caller. They fail with `Refused` where the caller may not, or not here. */
export class Writing {
  readonly #place: WritingPlace;
  readonly #caller: Caller;

  constructor(place: WritingPlace, metadata: Metadata) {
    this.#place = place;
    this.#caller = place.rights.callerOf(metadata);
  }

  async append(
    stream: string,
    expected: Expected,
    proposed: readonly ProposedEvent[],
  ): Promise<AppendOutcome> {
    await this.#admit('write', stream);
    return this.#place.store.append(stream, expected, proposed);
  }

  async tombstone(stream: string, expected: Expected): Promise<DeleteOutcome> {
    await this.#admit('delete', stream);
    return this.#place.store.tombstone(stream, expected);
  }

  async softDelete(stream: string, expected: Expected): Promise<DeleteOutcome> {
    await this.#admit('delete', stream);
    return this.#place.store.softDelete(stream, expected);
  }

  /** What was let in is with the store before anything else happens: a leader that steps back waits for it. */
  async #admit(action: Action, stream: string): Promise<void> {
    const { store, standing } = this.#place;
    const refusal = this.#caller.refusal(store, action, stream) ?? (await standing.writeRefusal());
    if (refusal !== undefined) throw new Refused(refusal);
  }
}
