import type { EmployeeSetSummary } from '@rollcall/contracts';
import {
  afterEmployeeSet,
  type CompanyState,
  EmployeeSetBuilder,
  MisshapenSet,
  readSetElement,
  SetMismatch,
} from '@rollcall/domain';
import { headAt, type LoadedState } from '../event-store/fold.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';

/**
 * Folds an `EmployeeSetReplaced` while somebody else reads it. What it comes to is for a snapshot: the set digest is that which the event
 * tells, and compared with the set when the snapshot is used. It never throws: where the event does not fit there is no state.
 */
export class EmployeeSetFold {
  readonly #before: LoadedState<CompanyState>;
  readonly #event: LoadedEvent;
  #builder: EmployeeSetBuilder | undefined;
  #after: LoadedState<CompanyState> | undefined;

  /** `before`: the state at the revision in front of the event. */
  constructor(before: LoadedState<CompanyState>, event: LoadedEvent) {
    this.#before = before;
    this.#event = event;
    this.#builder = new EmployeeSetBuilder(before.state.employees, undefined);
  }

  /** To be shown each entry, in order. */
  entry(...given: Parameters<typeof readSetElement>): void {
    this.#orNothing((builder) => builder.apply(readSetElement(...given)));
  }

  /** To be told what stands in front of the lists, once all of them are read. */
  finish(summary: EmployeeSetSummary): void {
    this.#orNothing((builder) => {
      const employees = { ...builder.finish(), setDigest: summary.setDigest };
      if (employees.count !== summary.total)
        throw new SetMismatch('the set after the event has another size');
      const state = afterEmployeeSet(this.#before.state, summary, employees, this.#event);
      this.#after = { state, head: headAt(this.#event) };
    });
    this.#builder = undefined;
  }

  /** The state behind the event; undefined where it was not read to its end, or does not fit. */
  get after(): LoadedState<CompanyState> | undefined {
    return this.#after;
  }

  #orNothing(work: (builder: EmployeeSetBuilder) => void): void {
    if (this.#builder === undefined) return;
    try {
      work(this.#builder);
    } catch (error) {
      if (!(error instanceof MisshapenSet || error instanceof SetMismatch)) throw error;
      this.#builder = undefined;
    }
  }
}
