import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Queue messages carry ids, never payloads: what they speak of stands in the log (design: "The way of the data"). */
export const CompanyHasWork = Type.Object({
  type: Type.Literal('company-has-work'),
  companyId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** Of an import that was pending, on the company's stream: whoever finds less there reads an older state of the log. */
  revision: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export type CompanyHasWork = Static<typeof CompanyHasWork>;

/** So many invitations stand in one message at most. */
export const mostDueInvitations = 50;

/** On the queue `invitations`: look whether the invitations of these employees are to be sent. */
export const InvitationsAreDue = Type.Object({
  type: Type.Literal('invitations-due'),
  companyId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  numbers: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: mostDueInvitations,
  }),
});
export type InvitationsAreDue = Static<typeof InvitationsAreDue>;

const companyHasWork = Compile(CompanyHasWork);
const invitationsAreDue = Compile(InvitationsAreDue);

export const isCompanyHasWork = (value: unknown): value is CompanyHasWork => companyHasWork.Check(value);
export const areInvitationsDue = (value: unknown): value is InvitationsAreDue =>
  invitationsAreDue.Check(value);
