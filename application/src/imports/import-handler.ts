import type {
  CallContext,
  DryRunResult,
  ImportHeld,
  ManagerDryRunResult,
  PreviewRow,
} from '@rollcall/contracts';
import type { CompanyState } from '@rollcall/domain';
import type { EmployeeList, EmployeeListCheck } from '@rollcall/employee-lists';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { PreparedEvents } from '../event-store/decide-and-append.js';
import type { FindRows } from '../ports/imports.js';
import type { UnprovenReason } from './import-deps.js';
import type { EmailsNeeded } from './kept-renames.js';
import type { StoredBody } from './stored-body.js';

export interface ImportCall {
  readonly companyId: number;
  readonly context: CallContext;
  readonly body: StoredBody;
  readonly keepsRenames?: boolean | undefined;
  /** When it is decided, ms since the epoch; by default when the call came in. */
  readonly decidedAt?: number | undefined;
  /** The result of reading, where the body was read on arrival or acceptance has left a proof. */
  readonly employees?: EmployeeListCheck | undefined;
  /** Why a queued body has no usable proof. */
  readonly unproven?: UnprovenReason | undefined;
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

/** Events, and what they come to: equal where the same was shown (`ImportPreview`). */
export interface DecidedImport extends PreparedEvents<CompanyState> {
  readonly outcome: () => string;
}

export interface HeldImport {
  readonly kind: 'held';
  readonly held: Omit<ImportHeld, 'operationId' | 'kind'>;
}

type OfThePreview = 'PreviewId' | 'Revision' | 'ExpiresOn';

export const outcomeOf = (decision: DecidedImport | HeldImport): string =>
  decision.kind === 'held' ? decision.held.outcome : decision.outcome();

/** What a dry run shows; its rows are read on demand. */
export interface Rehearsal {
  readonly kind: 'rehearsed';
  readonly result: Omit<DryRunResult, OfThePreview> | Omit<ManagerDryRunResult, OfThePreview>;
  readonly outcome: string;
  readonly isChange: boolean;
  readonly rows: (mostOfKind: number) => AsyncIterable<PreviewRow>;
}

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
  readonly lookUp?: (needed: EmailsNeeded, findRows: FindRows) => Promise<void>;
  /** Returns the terminal event. Throws `EmailsNeeded`. */
  decide(state: CompanyState): DecidedImport | HeldImport | RefusedImport;
  rehearse(state: CompanyState, findRows: FindRows): Promise<Rehearsal | RefusedImport>;
}

/** What is decided on may change while it is looked up. */
const mostLookUps = 10;

/** Decides again after each look-up that the decision asks for by throwing `Needed`. */
export async function withLookUps<T, N extends Error>(
  Needed: abstract new (...args: never[]) => N,
  decide: (isFirst: boolean) => Promise<T>,
  lookUp: (needed: N) => Promise<void> | undefined,
): Promise<T> {
  for (let round = 1; ; round += 1)
    try {
      return await decide(round === 1);
    } catch (error) {
      if (!(error instanceof Needed) || round > mostLookUps) throw error;
      await lookUp(error);
    }
}
