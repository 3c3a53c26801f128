import { ElementReader } from './element-reader.js';
import { field } from './fields.js';
import { readElement } from './list-elements.js';
import type { EmployeeList } from './list-builder.js';
import { isComplete } from './read-employee.js';
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
  const reader = new ElementReader(list.body);
  let summary: InvitedSummary = { count: 0, firstDueAt: null, lastDueAt: null };
  for (const element of added) {
    const due = plan(invitationDateOf(list, reader, element));
    if (due !== null) summary = withOne(summary, due);
  }
  return summary;
}

/** Due times of a plan are texts of one form, which are ordered as the moments are. */
const withOne = ({ count, firstDueAt, lastDueAt }: InvitedSummary, due: string): InvitedSummary => ({
  count: count + 1,
  firstDueAt: firstDueAt === null || due < firstDueAt ? due : firstDueAt,
  lastDueAt: lastDueAt === null || due > lastDueAt ? due : lastDueAt,
});

function invitationDateOf(list: EmployeeList, reader: ElementReader, element: number): string | undefined {
  if (list.plain[element] !== 1) {
    const reading = readElement(list, element);
    return isComplete(reading) ? reading.values.InvitationDate : undefined;
  }
  reader.read(list.starts[element] ?? 0);
  const start = reader.starts[field.InvitationDate] ?? -1;
  return start < 0 ? undefined : list.body.toString('latin1', start, reader.ends[field.InvitationDate]);
}
