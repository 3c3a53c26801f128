import type { EventReader } from '@rollcall/application';
import { Refusal } from './refusal.js';

export const companyUnknown = (company: number): Refusal =>
  new Refusal(
    `Company ${company} is not configured: see \`rollcall company list\`, or create it with \`rollcall company configure\`.`,
  );

export const employeeUnknown = (company: number): Refusal =>
  new Refusal(`Company ${company} never had an employee with this EmployeeID.`);

/** A refusal where the log has no such company; one with an unreadable stream exists. */
export async function requireCompany(
  { log }: { readonly log: Pick<EventReader, 'readLast'> },
  company: number | undefined,
): Promise<void> {
  if (company === undefined) return;
  if ((await log.readLast(`company-${company}`)) === undefined) throw companyUnknown(company);
}
