import fc from 'fast-check';
import tap from 'tap';
import { decodeApiUsers, encodeApiUsers } from './encoding.js';
import { evolve, type ApiUsersEvent, initialState, type ApiUsersState } from './evolve.js';

const userId = fc.integer({ min: 1, max: 6 });
const event: fc.Arbitrary<ApiUsersEvent> = fc.oneof(
  fc
    .record({ userId, companyId: fc.integer({ min: 1, max: 3 }), name: fc.string({ unit: 'grapheme' }) })
    .map((data) => ({
      name: 'ApiUserCreated' as const,
      data: { ...data, roles: ['HRIntegration' as const] },
    })),
  userId.map((id) => ({ name: 'ApiUserRevoked' as const, data: { userId: id } })),
  fc.uuid().map((jti) => ({ name: 'ApiTokenRevoked' as const, data: { jti } })),
);

const shown = ({ users, revokedUsers, revokedTokens, lastUserId }: ApiUsersState) => ({
  users: [...users.values()],
  revokedUsers: [...revokedUsers.keys()],
  revokedTokens: [...revokedTokens.keys()],
  lastUserId,
});

tap.test('a state that was encoded goes on as the state itself', (t) => {
  fc.assert(
    fc.property(fc.array(event), fc.array(event), (before, after) => {
      const state = before.reduce(evolve, initialState());
      const decoded = decodeApiUsers(encodeApiUsers(state));
      t.strictSame(decoded && shown(after.reduce(evolve, decoded)), shown(after.reduce(evolve, state)));
    }),
  );
  t.end();
});

tap.test('another format is none', (t) => {
  const text = Buffer.from(encodeApiUsers(initialState())).toString();
  t.equal(decodeApiUsers(Buffer.from(text.replace('api-users 1', 'api-users 2'))), undefined);
  t.end();
});
