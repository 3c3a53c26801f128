import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** On the operations page: `Auditor` reads and changes nothing. */
export const OperatorRole = Type.Union([Type.Literal('Operator'), Type.Literal('Auditor')]);
export type OperatorRole = Static<typeof OperatorRole>;
export const operatorRoles: readonly OperatorRole[] = ['Operator', 'Auditor'];

/** Who a link lets in, and to what. */
export const Operator = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 150 }),
  role: OperatorRole,
  /** Null: all companies. */
  companyId: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
});
export type Operator = Static<typeof Operator>;

/** What a link says, signed. */
const OperatorLink = Type.Object({
  linkId: Type.String({ format: 'uuid' }),
  operator: Operator,
  /** ms since the epoch. */
  expiresAt: Type.Integer(),
});
export type OperatorLink = Static<typeof OperatorLink>;

const link = Compile(OperatorLink);
export const isOperatorLink = (value: unknown): value is OperatorLink => link.Check(value);

/** SHA-256 of the session's id, hex. */
const SessionHash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The first event on `operator-{id of the link}`: a link is used once. */
export const OperatorSignedIn = Type.Object({
  ...Operator.properties,
  sessionHash: SessionHash,
});
export type OperatorSignedIn = Static<typeof OperatorSignedIn>;

/** The session's cookies are refused from then on. */
export const OperatorSignedOut = Type.Object({ sessionHash: SessionHash });
export type OperatorSignedOut = Static<typeof OperatorSignedOut>;
