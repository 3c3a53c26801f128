import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Messages carry ids, never payloads (design: "The way of the data"). */
export const CompanyHasWork = Type.Object({
  type: Type.Literal('company-has-work'),
  companyId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** Of a pending import's event: a consumer that finds an earlier head reads a stale log. */
  revision: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export type CompanyHasWork = Static<typeof CompanyHasWork>;

export const maxDueInvitations = 50;

/** On the queue `invitations`: look whether these are due. */
export const InvitationsAreDue = Type.Object({
  type: Type.Literal('invitations-due'),
  companyId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  numbers: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: maxDueInvitations,
  }),
});
export type InvitationsAreDue = Static<typeof InvitationsAreDue>;

const companyHasWork = Compile(CompanyHasWork);
const invitationsAreDue = Compile(InvitationsAreDue);

export const isCompanyHasWork = (value: unknown): value is CompanyHasWork => companyHasWork.Check(value);
export const areInvitationsDue = (value: unknown): value is InvitationsAreDue =>
  invitationsAreDue.Check(value);
