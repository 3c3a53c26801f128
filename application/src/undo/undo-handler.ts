import type { CompanyState, ImportCounts } from '@rollcall/domain';
import type { PreparedEvents } from '../event-store/decide-and-append.js';

export const mostNamed = 1000;

export interface Named {
  /** An employee's number; of managers what it is, with numbers. */
  readonly id: string;
  /** An EmployeeID, an address or a name: for people, never for a log. Null where nobody knows it any more. */
  readonly name: string | null;
}

export interface NamedList {
  readonly count: number;
  /** The first `mostNamed`. */
  readonly named: readonly Named[];
}

/** Numbers of what an undo changes, by names such as `usersLocked`. */
export type UndoChanges = Readonly<Record<string, number>>;

/** `usersLocked` as `users locked`. */
export const spacedWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Lists hold ids as in `Named`. `later`: what a later import has touched, and the undo leaves alone. */
export type UndoDecision =
  | { readonly kind: 'refused'; readonly later: readonly string[] }
  | (PreparedEvents<CompanyState> & {
      readonly later: readonly string[];
      readonly counts: ImportCounts;
      readonly changes: UndoChanges;
      readonly returning: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
    });

/** The addresses of those present at this revision of the set must be looked up first. */
export class HoldersNeeded extends Error {
  override readonly name = 'HoldersNeeded';
  readonly revision: number;

  constructor(revision: number) {
    super('the addresses of those present are not looked up yet');
    this.revision = revision;
  }
}

export interface UndoHandler {
  /** Throws `HoldersNeeded` where there is a `lookUp`. */
  decide(state: CompanyState, operationId: string): UndoDecision;
  lookUp?(needed: HoldersNeeded): Promise<void>;
  named(ids: readonly string[]): Promise<NamedList>;
  /** Those of `removed` who got an invitation. */
  sent?(removed: readonly string[]): Promise<readonly string[]>;
  close?(): void;
}
