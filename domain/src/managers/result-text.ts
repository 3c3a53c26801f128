export interface ManagerImportCounts {
  readonly created: number;
  readonly disabled: number;
  readonly locked: number;
}

/** docs/contract, "Managers", "200 body". */
export const resultText = ({ created, disabled, locked }: ManagerImportCounts): string =>
  `Successfully created ${created}, disabled ${disabled} roles and locked ${locked} users.`;
