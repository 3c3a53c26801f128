import type { EmployeeSetSummary } from '@rollcall/contracts';
import { afterEmployeeSet, type CompanyState } from '@rollcall/domain';
import {
  EmployeeSetBuilder,
  type EntryDigests,
  MisshapenSet,
  readSetElement,
  SetMismatch,
} from '@rollcall/employee-lists/set';
import { headAt, type LoadedState } from '../event-store/load-state.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';

/** Folds an `EmployeeSetReplaced` for a snapshot while another reader reads it. Never throws: a misfit gives no state. */
export class EmployeeSetFold {
  readonly #before: LoadedState<CompanyState>;
  readonly #event: LoadedEvent;
  #underWay: { readonly builder: EmployeeSetBuilder; readonly summary: EmployeeSetSummary } | undefined;
  #after: LoadedState<CompanyState> | undefined;

  constructor(before: LoadedState<CompanyState>, event: LoadedEvent) {
    this.#before = before;
    this.#event = event;
  }

  /** Call with what precedes the lists. */
  begin(summary: EmployeeSetSummary): void {
    const added = Math.min(summary.inserted, this.#event.size / leastEntryBytes);
    const builder = new EmployeeSetBuilder(this.#before.state.employees, undefined, Math.ceil(added));
    this.#underWay = { builder, summary };
  }

  entry(...entry: Parameters<typeof readSetElement>): void {
    this.#apply((builder) => builder.apply(readSetElement(...entry)));
  }

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

  finish(): void {
    if (this.#underWay === undefined) return;
    const { builder, summary } = this.#underWay;
    const employees = { ...builder.finish(), setDigest: summary.setDigest };
    this.#underWay = undefined;
    if (employees.count !== summary.total) return;
    const state = afterEmployeeSet(this.#before.state, summary, employees, this.#event);
    this.#after = { state, head: headAt(this.#event) };
  }

  /** Undefined where the event was not read in full, or does not fit. */
  get after(): LoadedState<CompanyState> | undefined {
    return this.#after;
  }
}

const leastEntryBytes = 128;
