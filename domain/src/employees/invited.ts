import { HeldElements } from './held-elements.js';
import type { EmployeeList } from './list-builder.js';
import { readElement } from './list-elements.js';
import type { InvitationPlan } from './set-event.js';

/** The invitations of new employees; the moments are ISO 8601 UTC, null where there is none. */
export interface InvitedSummary {
  readonly count: number;
  readonly firstDueAt: string | null;
  readonly lastDueAt: string | null;
}

/** How many of these elements of the list would be invited, and when the first and the last of them. */
export function invitedSummary(
  list: EmployeeList,
  added: Iterable<number>,
  plan: InvitationPlan,
): InvitedSummary {
  return HeldElements.use(list, (elements) => {
    let summary: InvitedSummary = { count: 0, firstDueAt: null, lastDueAt: null };
    for (const element of added) {
      const due = plan(invitationDateOf(list, elements, element));
      if (due !== null) summary = withOne(summary, due);
    }
    return summary;
  });
}

/** Due times of a plan are texts of one form, which are ordered as the moments are. */
const withOne = ({ count, firstDueAt, lastDueAt }: InvitedSummary, due: string): InvitedSummary => ({
  count: count + 1,
  firstDueAt: firstDueAt === null || due < firstDueAt ? due : firstDueAt,
  lastDueAt: lastDueAt === null || due > lastDueAt ? due : lastDueAt,
});

const invitationDateOf = (list: EmployeeList, elements: HeldElements, element: number): string | undefined =>
  elements.hold(element) ? elements.held.invitationDate : readElement(list, element).values.InvitationDate;
