import { Type, type Static } from 'typebox';

const UserId = Type.Integer({ minimum: 1 });

/** `Auditor` reads and changes nothing. Before version 2 of `ApiUserCreated` there was only `HRIntegration`. */
export const ApiRole = Type.Union([Type.Literal('HRIntegration'), Type.Literal('Auditor')]);
export type ApiRole = Static<typeof ApiRole>;
export const apiRoles: readonly ApiRole[] = ['HRIntegration', 'Auditor'];

/** On `api-users`, as are both revocations: the user, or the token, is refused from then on. */
export const ApiUserCreated = Type.Object({
  userId: UserId,
  companyId: Type.Integer({ minimum: 1 }),
  name: Type.String({ minLength: 1 }),
  roles: Type.Array(ApiRole),
});
export type ApiUserCreated = Static<typeof ApiUserCreated>;

export const ApiUserRevoked = Type.Object({ userId: UserId });

export const ApiTokenRevoked = Type.Object({ jti: Type.String({ minLength: 1 }) });

/** On `apitokens-{userId}`, for audit only; never the token itself. */
export const ApiTokenIssued = Type.Object({
  userId: UserId,
  jti: Type.String({ minLength: 1 }),
  kid: Type.String({ minLength: 1 }),
  expiresAt: Type.String(),
});
export type ApiTokenIssued = Static<typeof ApiTokenIssued>;
