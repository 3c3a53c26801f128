export type EmployeeSetRejection =
  | { readonly reason: 'integration-not-allowed' }
  | { readonly reason: 'invalid'; readonly problems: readonly string[] }
  | {
      readonly reason: 'batch-limit-exceeded';
      readonly companyId: number;
      readonly present: number;
      readonly inserted: number;
      readonly removed: number;
      /** Percent. */
      readonly limit: number;
    };

/** The texts for `ValidationErrors` (docs/contract, "Employees": integration, validation, batch limit). */
export function rejectionTexts(rejection: EmployeeSetRejection): readonly string[] {
  switch (rejection.reason) {
    case 'integration-not-allowed':
      return ['Company integration is not allowed'];
    case 'invalid':
      return rejection.problems;
    case 'batch-limit-exceeded':
      return [
        `The batch limit was exceeded: of ${rejection.present} employees present, ${rejection.inserted} would be inserted ` +
          `and ${rejection.removed} removed; at most ${rejection.limit} % may be inserted, and as many removed, in one call. ` +
          `Check that the list is complete, and send it again in smaller steps, or have the limit raised: ` +
          `rollcall company configure --company ${rejection.companyId} --batch-limit none`,
      ];
    default:
      return rejection satisfies never;
  }
}
