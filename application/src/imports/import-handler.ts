import type { CallContext, ImportKind } from '@rollcall/contracts';
import type { CompanyState, EmployeeList, EmployeeListCheck } from '@rollcall/domain';
import type { PreparedEvents } from '../event-store/decide-and-append.js';
import type { ImportOutcome } from '../ports/imports.js';
import type { UnprovenReason } from './unproven.js';
import type { StoredBody } from './stored-body.js';

/** What the engine knows of an import, whether its call came in now or was queued. */
export interface ImportCall {
  readonly companyId: number;
  readonly context: CallContext;
  readonly body: StoredBody;
  /** What reading the body came to, of employees, where it was read while it arrived. */
  readonly employees?: EmployeeListCheck | undefined;
  /** Why that is not known of a body that was queued. */
  readonly unproven?: UnprovenReason | undefined;
}

/** Why an import is refused. */
export interface Refusal {
  /** One line without personal values. */
  readonly reason: string;
  /** The texts for the caller. */
  readonly errors: readonly string[];
}

export interface RefusedImport {
  readonly kind: 'refused';
  readonly rejection: Refusal;
}

/** The names behind numbers, from the read models; for those that are not known there it gives none. */
export type FindNames = (
  kind: ImportKind,
  companyId: number,
  numbers: readonly number[],
) => Promise<readonly string[]>;

/** One import on its way: its body is read once, however often it is decided. */
export interface ImportHandler {
  /** Checks the whole body, and counts its elements. With `atOnceBelow` of them or more it is not decided on now. */
  check(
    state: CompanyState,
    atOnceBelow: number,
  ): { readonly kind: 'valid'; readonly elements: number } | RefusedImport;
  /** What reading a valid body came to, where that may be kept with it. */
  readonly list?: EmployeeList | undefined;
  /** Comes to the terminal event. */
  decide(state: CompanyState): PreparedEvents<CompanyState> | RefusedImport;
  /** What it would do. */
  rehearse(
    state: CompanyState,
    findNames: FindNames,
  ): Promise<Extract<ImportOutcome, { kind: 'refused' | 'dry-run' }>>;
}
