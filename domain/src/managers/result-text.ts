/** What a manager import came to. */
export interface ManagerImportCounts {
  /** Roles that were absent or disabled and are enabled now. */
  readonly created: number;
  readonly disabled: number;
  /** Users. */
  readonly locked: number;
}

/** The 200 text (docs/contract, "Managers", "200 body"). */
export const resultText = ({ created, disabled, locked }: ManagerImportCounts): string =>
  `Successfully created ${created}, disabled ${disabled} roles and locked ${locked} users.`;
