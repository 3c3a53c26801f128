/** Why a manager import was refused; nothing changed. */
export type ManagerImportRejection =
  | { readonly reason: 'integration-not-allowed' }
  /** At most 20, and perhaps a last one that counts the rest. */
  | { readonly reason: 'invalid'; readonly problems: readonly string[] };

/** The problems one by one. */
export function rejectionTexts(rejection: ManagerImportRejection): readonly string[] {
  switch (rejection.reason) {
    case 'integration-not-allowed':
      return ['Company integration is not allowed'];
    case 'invalid':
      return rejection.problems;
    default:
      return rejection satisfies never;
  }
}

/** The one string of the 400 (docs/contract, "Managers", "400 body"). */
export const refusalText = (texts: readonly string[]): string => texts.join('; ');
