import { HeldElements } from '../list/held-elements.js';
import type { EmployeeList } from '../list/list-builder.js';
import { readElement } from '../list/list-elements.js';
import type { InvitationPlan } from './set-event.js';

/** Times are ISO 8601 UTC, null without invitations. */
export interface InvitedSummary {
  readonly count: number;
  readonly firstDueAt: string | null;
  readonly lastDueAt: string | null;
}

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

/** Due times have one form, in which text order is time order. */
const withOne = ({ count, firstDueAt, lastDueAt }: InvitedSummary, due: string): InvitedSummary => ({
  count: count + 1,
  firstDueAt: firstDueAt === null || due < firstDueAt ? due : firstDueAt,
  lastDueAt: lastDueAt === null || due > lastDueAt ? due : lastDueAt,
});

const invitationDateOf = (list: EmployeeList, elements: HeldElements, element: number): string | undefined =>
  elements.hold(element) ? elements.held.invitationDate : readElement(list, element).values.InvitationDate;
