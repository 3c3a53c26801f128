import {
  isCompanyHasWork,
  areInvitationsDue,
  type CompanyHasWork,
  type InvitationsAreDue,
} from '@rollcall/contracts';

/**
 * The message of the queue `imports`: look whether the company has a pending import; `revision` is that of an
 * `ImportQueued` which is pending as far as the sender knows.
 */
export const companyHasWork = (companyId: number, revision: number): Uint8Array =>
  Buffer.from(JSON.stringify({ type: 'company-has-work', companyId, revision } satisfies CompanyHasWork));

/** What such a message says; undefined where it is none. */
export function workOf(body: Uint8Array): CompanyHasWork | undefined {
  const message = parsed(body);
  return isCompanyHasWork(message) ? message : undefined;
}

/**
 * The message of the queue `invitations`: look whether the invitations of these employees (`mostDueInvitations` at most) are
 * to be sent.
 */
export const invitationsAreDue = (companyId: number, numbers: readonly number[]): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      type: 'invitations-due',
      companyId,
      numbers: [...numbers],
    } satisfies InvitationsAreDue),
  );

/** What such a message says; undefined where it is none. */
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
