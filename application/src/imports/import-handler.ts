import type { CallContext, ImportKind } from '@rollcall/contracts';
import type { CompanyState } from '@rollcall/domain';
import type { EmployeeList, EmployeeListCheck } from '@rollcall/employee-lists';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { PreparedEvents } from '../event-store/decide-and-append.js';
import type { ImportOutcome } from '../ports/imports.js';
import type { UnprovenReason } from './unproven.js';
import type { StoredBody } from './stored-body.js';

export interface ImportCall {
  readonly companyId: number;
  readonly context: CallContext;
  readonly body: StoredBody;
  /** The result of reading, where the body was read on arrival or acceptance has left a proof. */
  readonly employees?: EmployeeListCheck | undefined;
  /** Why a queued body has no usable proof. */
  readonly unproven?: UnprovenReason | undefined;
  /** Unknown members of employees, where they are remembered and the body was not read. */
  readonly ignored?: IgnoredFields | undefined;
}

export interface Refusal {
  /** One line without personal values. */
  readonly reason: string;
  readonly errors: readonly string[];
}

/** The domain's decision on a body that breaks its rules; nothing is appended yet. */
export interface RefusedImport {
  readonly kind: 'refused';
  readonly rejection: Refusal;
}

/** EmployeeIDs or e-mail addresses, from the read models; numbers that are unknown there are left out. */
export type FindNames = (
  kind: ImportKind,
  companyId: number,
  numbers: readonly number[],
) => Promise<readonly string[]>;

/** Reads its body once, however often it is decided. */
export interface ImportHandler {
  /** Checks the whole body. With `atOnceBelow` elements or more the import is not decided now. */
  check(
    state: CompanyState,
    atOnceBelow: number,
  ): { readonly kind: 'valid'; readonly elements: number } | RefusedImport;
  /** Of a valid body, where a proof can be kept. */
  readonly list?: EmployeeList | undefined;
  /** Unknown members of a valid body: the same for each call with this body. */
  readonly ignored: IgnoredFields;
  /** Returns the terminal event. */
  decide(state: CompanyState): PreparedEvents<CompanyState> | RefusedImport;
  rehearse(
    state: CompanyState,
    findNames: FindNames,
  ): Promise<Extract<ImportOutcome, { kind: 'refused' | 'dry-run' }>>;
}
