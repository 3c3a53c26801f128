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

/** On the queue `invitations`: look whether this employee's invitation is to be sent. */
export const InvitationIsDue = Type.Object({
  type: Type.Literal('invitation-due'),
  companyId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** The employee's. */
  number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
export type InvitationIsDue = Static<typeof InvitationIsDue>;

const companyHasWork = Compile(CompanyHasWork);
const invitationIsDue = Compile(InvitationIsDue);

export const isCompanyHasWork = (value: unknown): value is CompanyHasWork => companyHasWork.Check(value);
export const isInvitationIsDue = (value: unknown): value is InvitationIsDue => invitationIsDue.Check(value);
