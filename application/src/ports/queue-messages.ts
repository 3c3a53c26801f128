import {
  isCompanyHasWork,
  areInvitationsDue,
  type CompanyHasWork,
  type InvitationsAreDue,
} from '@rollcall/contracts';

/** On the queue `imports`: look for a pending import; `revision` is that of an `ImportQueued` that the sender knows as pending. */
export const companyHasWork = (companyId: number, revision: number): Uint8Array =>
  Buffer.from(JSON.stringify({ type: 'company-has-work', companyId, revision } satisfies CompanyHasWork));

export function workOf(body: Uint8Array): CompanyHasWork | undefined {
  const message = parsed(body);
  return isCompanyHasWork(message) ? message : undefined;
}

/** On the queue `invitations`: look whether these employees' invitations are due (`maxDueInvitations` at most). */
export const invitationsAreDue = (companyId: number, numbers: readonly number[]): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      type: 'invitations-due',
      companyId,
      numbers: [...numbers],
    } satisfies InvitationsAreDue),
  );

export function dueInvitationsOf(body: Uint8Array): InvitationsAreDue | undefined {
  const message = parsed(body);
  return areInvitationsDue(message) ? message : undefined;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
