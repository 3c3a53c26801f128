import {
  isCompanyHasWork,
  isInvitationIsDue,
  type CompanyHasWork,
  type InvitationIsDue,
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

/** The message of the queue `invitations`: look whether this employee's invitation is to be sent. */
export const invitationIsDue = (companyId: number, number: number): Uint8Array =>
  Buffer.from(JSON.stringify({ type: 'invitation-due', companyId, number } satisfies InvitationIsDue));

/** What such a message says; undefined where it is none. */
export function dueInvitationOf(body: Uint8Array): InvitationIsDue | undefined {
  const message = parsed(body);
  return isInvitationIsDue(message) ? message : undefined;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
