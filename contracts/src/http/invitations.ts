import { Type, type Static } from 'typebox';
import { Moment, orNull, describedId } from './schemas.js';

export const invitationStates = [
  'Planned',
  'Due',
  'Held',
  'Sending',
  'Deferred',
  'Sent',
  'Failed',
  'Cancelled',
] as const;
export type InvitationState = (typeof invitationStates)[number];

const State = Type.Unsafe<InvitationState>({
  type: 'string',
  enum: [...invitationStates],
  title: 'InvitationState',
});

/** docs/contract, "Reading invitations". */
export const Invitation = Type.Object(
  {
    Number: Type.Integer({
      format: 'int64',
      minimum: 1,
      description: "The employee's number: Id in GET employees.",
    }),
    EmployeeID: Type.Optional(Type.String({ description: 'Absent where the employee has left.' })),
    State,
    DueAt: Moment,
    Attempts: Type.Integer({ minimum: 0 }),
    LastError: orNull(
      Type.Object({ Code: Type.String(), Problem: Type.String() }, { title: 'InvitationError' }),
    ),
    SentAt: orNull(Moment),
    MessageId: orNull(Type.String()),
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

export const Invitations = Type.Array(Invitation);

export const maxInvitationsPage = 1_000;

export const InvitationsQuery = Type.Object({
  State: Type.Optional(State),
  Top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxInvitationsPage,
      description: 'The most invitations in the page.',
    }),
  ),
  After: Type.Optional(describedId('Only invitations of employees behind this Number.', 0)),
});
