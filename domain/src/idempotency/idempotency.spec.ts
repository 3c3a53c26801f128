import type { DomainEventOf } from '@rollcall/contracts';
import tap from 'tap';
import { specify } from '../testing/decider-specification.js';
import type { ClaimKey, KeyCommand, KeyRejection, SettleKey } from './decide.js';
import * as idempotency from './index.js';

const at = '2026-11-21T08:00:00.000Z';
const hours = (count: number): number => Date.parse(at) + count * 3_600_000;

const { given } = specify<KeyCommand, idempotency.KeyState, idempotency.KeyEvent, KeyRejection>({
  ...idempotency,
  evolve: (state, event) => idempotency.evolve(state, event, at),
});

const claimed = (operationId = 'first', bodySha256 = 'a'): DomainEventOf<'IdempotencyKeyClaimed'> => ({
  name: 'IdempotencyKeyClaimed',
  data: { operationId, bodySha256, reserved: { surveyId: 1, surveyDefinitionId: 2 } },
});
const settled = (
  outcome: 'done' | 'refused',
  operationId = 'first',
): DomainEventOf<'IdempotencyKeySettled'> => ({
  name: 'IdempotencyKeySettled',
  data: { operationId, outcome },
});
const claim = (operationId: string, bodySha256 = 'a', now = hours(1)): ClaimKey => ({
  kind: 'claim',
  ...claimed(operationId, bodySha256).data,
  now,
});
const settle = (outcome: 'done' | 'refused', operationId = 'first'): SettleKey => ({
  kind: 'settle',
  operationId,
  outcome,
});

tap.test('happened', async (t) => {
  t.test('the first call claims the key', async () => {
    given().when(claim('first')).then(claimed());
  });
  t.test('the claimed call ends', async () => {
    given(claimed()).when(settle('done')).then(settled('done'));
    given(claimed()).when(settle('refused')).then(settled('refused'));
  });
  t.test('a refusal frees the key, for any body', async () => {
    given(claimed(), settled('refused')).when(claim('second', 'b')).then(claimed('second', 'b'));
  });
  t.test('after 24 hours the stream goes on with a new claim', async () => {
    given(claimed(), settled('done'))
      .when(claim('second', 'b', hours(24)))
      .then(claimed('second', 'b'));
    given(claimed())
      .when(claim('second', 'a', hours(24)))
      .then(claimed('second'));
  });
  t.test('the same call was refused in one process and done in another: it was done', async () => {
    given(claimed(), settled('refused')).when(settle('done')).then(settled('done'));
  });
});

tap.test('nothing', async (t) => {
  t.test('the same body again, within 24 hours, whatever the clock of the caller', async () => {
    given(claimed()).when(claim('second')).thenNothing();
    given(claimed(), settled('done'))
      .when(claim('second', 'a', hours(24) - 1))
      .thenNothing();
    given(claimed(), settled('done'))
      .when(claim('second', 'a', hours(-1)))
      .thenNothing();
    given(claimed(), settled('refused'), settled('done')).when(claim('second')).thenNothing();
  });
  t.test('an end that is there, or would undo what was done', async () => {
    given(claimed(), settled('done')).when(settle('done')).thenNothing();
    given(claimed(), settled('refused')).when(settle('refused')).thenNothing();
    given(claimed(), settled('done')).when(settle('refused')).thenNothing();
  });
  t.test('an end of what was never claimed, or is claimed by another call by now', async () => {
    given().when(settle('done')).thenNothing();
    given(claimed(), settled('refused'), claimed('second')).when(settle('done')).thenNothing();
    given(claimed(), settled('refused', 'another')).when(claim('second')).thenNothing();
  });
});

tap.test('refused', async (t) => {
  t.test('another body, under way or done', async () => {
    given(claimed()).when(claim('second', 'b')).thenRefused({ kind: 'key-reused' });
    given(claimed(), settled('done'))
      .when(claim('second', 'b', hours(24) - 1))
      .thenRefused({ kind: 'key-reused' });
  });
});

tap.test('the claim in force', async (t) => {
  const state = [claimed(), settled('refused', 'another'), settled('done')].reduce(
    (before: idempotency.KeyState, event) => idempotency.evolve(before, event, at),
    idempotency.initialState(),
  );
  t.same(idempotency.claimInForce(state, hours(1)), { ...claimed().data, at });
  t.equal(idempotency.claimInForce(state, hours(24)), undefined);
  t.equal(idempotency.claimInForce(idempotency.initialState(), 0), undefined);
  const late = idempotency.evolve(idempotency.initialState(), settled('done'), at);
  t.same(late, idempotency.initialState(), 'an end without a claim claims nothing');
});

tap.test('a key hash', async (t) => {
  const sent = { userId: 1, method: 'POST /v1.0/Survey', key: 'k' };
  const hash = idempotency.keyHash(sent);
  t.match(hash, /^[0-9a-f]{64}$/);
  t.equal(idempotency.keyHash({ ...sent }), hash);
  for (const other of [{ userId: 2 }, { method: 'POST /v1.0/Survey/Update' }, { key: 'K' }])
    t.not(idempotency.keyHash({ ...sent, ...other }), hash);
  t.not(idempotency.keyHash({ ...sent, userId: 11, key: 'k' }), idempotency.keyHash({ ...sent, key: '1k' }));
});
