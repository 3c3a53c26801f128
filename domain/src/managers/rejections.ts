export type ManagerImportRejection =
  | { readonly reason: 'integration-not-allowed' }
  /** At most 20, and perhaps a last one that counts the rest. */
  | { readonly reason: 'invalid'; readonly problems: readonly string[] };

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

/** docs/contract, "Managers", "400 body". */
export const refusalText = (texts: readonly string[]): string => texts.join('; ');
