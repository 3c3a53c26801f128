import type { CallContext, ImportKind } from '@rollcall/contracts';
import type { BodyReading, CompanyState, EventPlace } from '@rollcall/domain';
import type { NewEvent } from '../event-store/new-events.js';
import type { ImportOutcome } from '../ports/imports.js';

/** What the engine knows of an import, whether its call came in now or was queued. */
export interface ImportCall {
  readonly companyId: number;
  readonly context: CallContext;
  /** Unpacked. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Hex. */
  readonly bodySha256: string;
}

/** Why an import is refused. */
export interface Refusal {
  /** One line without personal values. */
  readonly reason: string;
  /** The texts for the caller. */
  readonly errors: readonly string[];
}

export type ImportDecision =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'decided';
      /** The terminal event. */
      readonly event: NewEvent;
      /** The state after it, on top of any state that differs only in what the decision did not read. */
      readonly after: (state: CompanyState, place: EventPlace) => CompanyState;
    };

/** The names behind numbers, from the read models; for those that are not known there it gives none. */
export type FindNames = (
  kind: ImportKind,
  companyId: number,
  numbers: readonly number[],
) => Promise<readonly string[]>;

/** One import on its way: its body is read once, however often it is decided. */
export interface OpenImport {
  /** Checks the whole body. With `atOnceBelow` elements or more it is not decided on now. */
  read(state: CompanyState, atOnceBelow: number): BodyReading<Refusal>;
  decide(state: CompanyState): ImportDecision;
  /** What it would do. */
  rehearse(
    state: CompanyState,
    findNames: FindNames,
  ): Promise<Extract<ImportOutcome, { kind: 'refused' | 'dry-run' }>>;
}
