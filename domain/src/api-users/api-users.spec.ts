import type { DomainEventOf } from '@rollcall/contracts';
import tap from 'tap';
import { specify } from '../testing/decider-specification.js';
import type { IssueToken } from './decide.js';
import type { ApiUsersEvent } from './index.js';
import * as apiUsers from './index.js';

const { given } = specify(apiUsers);

const created = (userId: number, companyId = 7, name = 'HR system'): DomainEventOf<'ApiUserCreated'> => ({
  name: 'ApiUserCreated',
  data: { userId, companyId, name, roles: ['HRIntegration'] },
});
const revoked = (userId: number): DomainEventOf<'ApiUserRevoked'> => ({
  name: 'ApiUserRevoked',
  data: { userId },
});
const tokenRevoked = (jti: string): DomainEventOf<'ApiTokenRevoked'> => ({
  name: 'ApiTokenRevoked',
  data: { jti },
});
const add = (name = 'HR system', companyId = 7): apiUsers.AddApiUser => ({
  kind: 'add',
  companyId,
  name,
  roles: ['HRIntegration', 'HRIntegration'],
});
const stateAfter = (...events: readonly ApiUsersEvent[]): apiUsers.ApiUsersState =>
  events.reduce(apiUsers.evolve, apiUsers.initialState());

tap.test('happened', async (t) => {
  t.test('the first user is number 1, each role counts once', async () => {
    given().when(add()).then(created(1));
  });
  t.test('numbers go up over all companies and are not used twice', async () => {
    given(created(1), created(2, 8), revoked(2)).when(add()).then(created(3));
  });
  t.test('a user is revoked', async () => {
    given(created(1)).when({ kind: 'revoke', userId: 1 }).then(revoked(1));
  });
  t.test('a token is revoked, also one that was issued elsewhere', async () => {
    given().when({ kind: 'revoke-token', jti: 'a' }).then(tokenRevoked('a'));
  });
});

tap.test('nothing', async (t) => {
  t.test('a revoked user again', async () => {
    given(created(1), revoked(1)).when({ kind: 'revoke', userId: 1 }).thenNothing();
  });
  t.test('a revoked token again', async () => {
    given(tokenRevoked('a')).when({ kind: 'revoke-token', jti: 'a' }).thenNothing();
  });
});

tap.test('refused', async (t) => {
  t.test('an unknown user', async () => {
    given(created(1)).when({ kind: 'revoke', userId: 2 }).thenRefused({ reason: 'user-unknown', userId: 2 });
  });
  t.test('a blank name, a long name, half a surrogate pair', async () => {
    given().when(add(' ')).thenRefused({ reason: 'name-invalid', problem: 'must not be blank' });
    given()
      .when(add('x'.repeat(151)))
      .thenRefused({ reason: 'name-invalid', problem: 'must be at most 150 characters' });
    given().when(add('\ud800')).thenRefused({
      reason: 'name-invalid',
      problem: 'must be text without control character 0 and broken surrogate pairs',
    });
  });
  t.test('a company that cannot be; 1 can', async () => {
    for (const companyId of [0, 1.5, 2 ** 53])
      given().when(add('A', companyId)).thenRefused({ reason: 'company-invalid' });
    given()
      .when(add('A', 1))
      .then(created(1, 1, 'A'));
  });
  t.test('a token without an id', async () => {
    given().when({ kind: 'revoke-token', jti: '' }).thenRefused({ reason: 'jti-invalid' });
  });
});

tap.test('issuing a token', async (t) => {
  const issue: IssueToken = { userId: 1, jti: 'j', kid: 'k', expiresAt: '2027-01-01T00:00:00Z' };
  t.test('to an active user', async (t) => {
    t.same(apiUsers.decideIssue(issue, stateAfter(created(1))), {
      kind: 'events',
      events: [{ name: 'ApiTokenIssued', data: issue }],
    });
  });
  t.test('not to a revoked or an unknown one', async (t) => {
    t.match(apiUsers.decideIssue(issue, stateAfter(created(1), revoked(1))), {
      kind: 'refused',
      rejection: { reason: 'user-revoked' },
    });
    t.match(apiUsers.decideIssue(issue, stateAfter()), {
      kind: 'refused',
      rejection: { reason: 'user-unknown' },
    });
  });
});

tap.test('what a token is refused for', async (t) => {
  const state = stateAfter(created(1), created(2), revoked(2), revoked(9), tokenRevoked('bad'));
  t.equal(apiUsers.isTokenRevoked(state, { userId: 1, jti: 'good' }), false);
  t.equal(apiUsers.isTokenRevoked(state, { userId: 1, jti: 'bad' }), true);
  t.equal(apiUsers.isTokenRevoked(state, { userId: 2, jti: 'good' }), true);
  t.equal(apiUsers.isTokenRevoked(state, { userId: 3, jti: 'good' }), false, 'an unknown user is no reason');
  t.equal(apiUsers.isTokenRevoked(state, { userId: 9, jti: 'good' }), true);
  t.equal(state.users.get(2)?.status, 'revoked');
});

tap.test('evolve leaves the state that it was given as it was', async (t) => {
  const before = stateAfter(created(1));
  apiUsers.evolve(before, revoked(1));
  apiUsers.evolve(before, tokenRevoked('a'));
  apiUsers.evolve(before, created(2));
  t.same(before, stateAfter(created(1)));
});
