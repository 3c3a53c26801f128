import { Type, type Static } from 'typebox';
import { Count, Moment } from './shapes.js';

/** On `reads-{companyId}-{day}`: a user read personal data. Usually one a minute for each user and company. */
export const PersonalDataRead = Type.Object({
  /** The first and the last read that it counts. */
  from: Moment,
  until: Moment,
  reads: Type.Array(
    Type.Object({
      what: Type.String({ minLength: 1, maxLength: 40 }),
      calls: Count,
      rows: Count,
      /** Of the last call: its X-Request-Id; of a command its operation. */
      requestId: Type.String({ minLength: 1, maxLength: 128 }),
    }),
  ),
});
export type PersonalDataRead = Static<typeof PersonalDataRead>;

/** What a refused token said of itself: printable ASCII, cut. Null: nothing. */
const Claimed = Type.Union([Type.String({ maxLength: 64 }), Type.Null()]);

/** On `refusals-{day}`: refused authentications. */
export const AuthenticationsRefused = Type.Object({
  from: Moment,
  until: Moment,
  refused: Type.Array(Type.Object({ kid: Claimed, subject: Claimed, count: Count })),
  /** Of further pairs of kid and subject. */
  others: Count,
});
export type AuthenticationsRefused = Static<typeof AuthenticationsRefused>;
