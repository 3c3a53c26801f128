import { Type, type Static } from 'typebox';

const UserId = Type.Integer({ minimum: 1 });

/** The roles a token can carry (interface.md, "Authentication"). */
export const ApiRole = Type.Literal('HRIntegration');
export type ApiRole = Static<typeof ApiRole>;

/** On `api-users`. */
export const ApiUserCreated = Type.Object({
  userId: UserId,
  companyId: Type.Integer({ minimum: 1 }),
  name: Type.String({ minLength: 1 }),
  roles: Type.Array(ApiRole),
});
export type ApiUserCreated = Static<typeof ApiUserCreated>;

/** On `api-users`: every token of this user is refused from now on. */
export const ApiUserRevoked = Type.Object({ userId: UserId });
export type ApiUserRevoked = Static<typeof ApiUserRevoked>;

/** On `api-users`: the token with this id is refused from now on. */
export const ApiTokenRevoked = Type.Object({ jti: Type.String({ minLength: 1 }) });
export type ApiTokenRevoked = Static<typeof ApiTokenRevoked>;

/** On `apitokens-{userId}`, for audit only; never the token itself. */
export const ApiTokenIssued = Type.Object({
  userId: UserId,
  jti: Type.String({ minLength: 1 }),
  kid: Type.String({ minLength: 1 }),
  expiresAt: Type.String(),
});
export type ApiTokenIssued = Static<typeof ApiTokenIssued>;
