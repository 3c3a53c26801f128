import type { EmployeeSetSummary } from '@rollcall/contracts';
import {
  afterEmployeeSet,
  type CompanyState,
  EmployeeSetBuilder,
  type EntryDigests,
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
  #underWay: { readonly builder: EmployeeSetBuilder; readonly summary: EmployeeSetSummary } | undefined;
  #after: LoadedState<CompanyState> | undefined;

  /** `before`: the state at the revision in front of the event. */
  constructor(before: LoadedState<CompanyState>, event: LoadedEvent) {
    this.#before = before;
    this.#event = event;
  }

  /** To be told what stands in front of the lists. */
  begin(summary: EmployeeSetSummary): void {
    const added = Math.min(summary.inserted, this.#event.size / leastEntryBytes);
    const builder = new EmployeeSetBuilder(this.#before.state.employees, undefined, Math.ceil(added));
    this.#underWay = { builder, summary };
  }

  /** To be shown each entry, in order: where it begins. */
  entry(...entry: Parameters<typeof readSetElement>): void {
    this.#apply((builder) => builder.apply(readSetElement(...entry)));
  }

  /** The same of entries that are read. */
  entries(kind: 'added' | 'changed', digests: EntryDigests): void {
    this.#apply((builder) => builder.applyAll(kind, digests));
  }

  #apply(work: (builder: EmployeeSetBuilder) => void): void {
    if (this.#underWay === undefined) return;
    try {
      work(this.#underWay.builder);
    } catch (error) {
      if (!(error instanceof MisshapenSet || error instanceof SetMismatch)) throw error;
      this.#underWay = undefined;
    }
  }

  /** To be told that all of them are read. */
  finish(): void {
    if (this.#underWay === undefined) return;
    const { builder, summary } = this.#underWay;
    const employees = { ...builder.finish(), setDigest: summary.setDigest };
    this.#underWay = undefined;
    if (employees.count !== summary.total) return;
    const state = afterEmployeeSet(this.#before.state, summary, employees, this.#event);
    this.#after = { state, head: headAt(this.#event) };
  }

  /** The state behind the event; undefined where it was not read to its end, or does not fit. */
  get after(): LoadedState<CompanyState> | undefined {
    return this.#after;
  }
}

/** A new employee takes more than that in the event. */
const leastEntryBytes = 128;
