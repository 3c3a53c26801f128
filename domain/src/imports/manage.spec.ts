import type { ImportQueued } from '@rollcall/contracts';
import tap from 'tap';
import { cancelImport, type CancelDecision } from './manage.js';
import type { CompanyState } from './company-state.js';
import { company, given, operationId, queued, type GivenEvent } from './imports.testing.js';
import { retryImport, type ImportStatus, type RetryDecision } from './manage.js';

const cancel = (state: CompanyState, number: number): CancelDecision =>
  cancelImport({ operationId: operationId(number) }, state);
const notPending = { kind: 'refused', rejection: { reason: 'not-pending' } };

tap.test('a pending import is cancelled, the oldest or another', (t) => {
  const state = given(
    company(),
    { what: 'queued', import: 1 },
    { what: 'queued', import: 2, kind: 'managers' },
  );
  for (const [number, kind] of [
    [1, 'employees'],
    [2, 'managers'],
  ] as const) {
    const data = { operationId: operationId(number), kind };
    t.same(cancel(state, number), { kind: 'events', events: [{ name: 'ImportCancelled', data }] });
  }
  t.end();
});

tap.test('an import that is not pending is not cancelled', (t) => {
  const ends = ['replaced', 'confirmed', 'failed', 'cancelled'] as const;
  t.same(cancel(company(), 1), notPending, 'never queued');
  for (const what of ends) {
    const state = given(
      company(),
      { what: 'queued', import: 1 },
      { what, import: 1 },
      { what: 'queued', import: 2 },
    );
    t.same(cancel(state, 1), notPending, what);
  }
  t.same(cancel(given(company(), { what: 'replaced', import: 1 }), 1), notPending, 'carried out at once');
  t.end();
});

interface Retry {
  /** The import that is tried again; it was queued at this revision. */
  readonly import?: number;
  readonly revision?: number;
  readonly status?: ImportStatus;
  readonly ifMatch?: number;
  readonly preview?: ImportQueued['preview'];
  readonly force?: boolean;
  readonly hasPayload?: boolean;
  readonly kind?: GivenEvent['kind'];
}

function oldOne(retry: Retry): ImportQueued {
  const { import: number = 1, kind } = retry;
  return {
    ...queued({ what: 'queued', import: number, ...(kind && { kind }) }),
    ifMatch: retry.ifMatch ?? null,
    preview: retry.preview ?? null,
  };
}

const retry = (state: CompanyState, command: Retry = {}): RetryDecision =>
  retryImport(
    {
      import: {
        queued: oldOne(command),
        revision: command.revision ?? 1,
        status: command.status ?? 'failed',
      },
      hasPayload: command.hasPayload ?? true,
      operationId: operationId(50),
      force: command.force ?? false,
    },
    state,
  );

const again = (old: ImportQueued, ifMatch: number | null = old.ifMatch): RetryDecision => {
  const payload = { ...old.payload, stream: `payload-${operationId(50)}` };
  const data = { ...old, operationId: operationId(50), payload, ifMatch, retryOf: old.operationId };
  return { kind: 'events', events: [{ name: 'ImportQueued', data }] };
};
const refused = (rejection: object): object => ({ kind: 'refused', rejection });

const failed = (...since: GivenEvent[]): CompanyState =>
  given(company(), { what: 'queued', import: 1 }, { what: 'failed', import: 1 }, ...since);

tap.test('an import that failed or was cancelled is queued again, with a body of its own', (t) => {
  t.same(retry(failed()), again(oldOne({})));
  const cancelled = given(company(), { what: 'queued', import: 1 }, { what: 'cancelled', import: 1 });
  t.same(retry(cancelled, { status: 'cancelled' }), again(oldOne({})));
  t.end();
});

tap.test('an import that is pending, or did what it should, is not', (t) => {
  const state = given(company(), { what: 'queued', import: 1 });
  t.same(retry(state, { status: 'pending' }), refused({ reason: 'not-ended-badly', status: 'pending' }));
  const done = given(state, { what: 'replaced', import: 1 });
  for (const force of [false, true])
    t.same(retry(done, { status: 'done', force }), refused({ reason: 'not-ended-badly', status: 'done' }));
  t.end();
});

tap.test('a newer set of the same kind keeps the older one away, unless it is forced', (t) => {
  const newer: GivenEvent[] = [
    { what: 'queued', import: 2 },
    { what: 'replaced', import: 2 },
    { what: 'confirmed', import: 2 },
  ];
  for (const since of newer) {
    t.same(retry(failed(since)), refused({ reason: 'newer-accepted', revision: 3 }), since.what);
    t.same(retry(failed(since), { force: true }), again(oldOne({})), since.what);
  }
  const cancelledSince = failed({ what: 'queued', import: 2 }, { what: 'cancelled', import: 2 });
  t.same(
    retry(cancelledSince),
    refused({ reason: 'newer-accepted', revision: 3 }),
    'it was accepted all the same',
  );
  t.end();
});

tap.test('an older set, or one of the other kind, does not matter', (t) => {
  const state = given(
    company(),
    { what: 'replaced', import: 4 },
    { what: 'queued', import: 1 },
    { what: 'failed', import: 1 },
    { what: 'roles imported', import: 5 },
  );
  t.same(retry(state, { revision: 2 }), again(oldOne({})));
  t.same(
    retry(state, { revision: 2, kind: 'managers' }),
    refused({ reason: 'newer-accepted', revision: 4 }),
    'the roles are newer',
  );
  t.end();
});

/** The import at revision 2 failed behind another, accepted before it. */
const endedByAnother = () =>
  given(
    company(),
    { what: 'queued', import: 4 },
    { what: 'queued', import: 1 },
    { what: 'replaced', import: 4 },
    { what: 'failed', import: 1 },
  );

tap.test('an import that another import ended, accepted before it, is newer than none', (t) => {
  t.same(retry(endedByAnother(), { revision: 2 }), again(oldOne({})));
  t.end();
});

tap.test('If-Match still counts, unless it is forced', (t) => {
  const state = given(
    company(),
    { what: 'replaced', import: 4 },
    { what: 'queued', import: 1 },
    { what: 'failed', import: 1 },
  );
  const at = { revision: 2 };
  t.same(retry(state, { ...at, ifMatch: 1 }), again(oldOne({ ifMatch: 1 })));
  t.same(retry(state, { ...at, ifMatch: 7 }), refused({ reason: 'set-changed', ifMatch: 7, current: 1 }));
  t.same(retry(state, { ...at, ifMatch: 7, force: true }), again(oldOne({ ifMatch: 7 }), null));
  t.same(retry(failed(), { ifMatch: 7 }), refused({ reason: 'set-changed', ifMatch: 7, current: null }));
  t.end();
});

tap.test('a preview still counts, unless it is forced', (t) => {
  const preview = { revision: 7, outcome: '0-0-2-ab' };
  t.same(retry(failed(), { preview }), refused({ reason: 'set-changed', ifMatch: 7, current: null }));
  t.same(retry(failed(), { preview, force: true }), again(oldOne({})));
  const state = given(failed(), { what: 'replaced', import: 4 });
  const current = { preview: { ...preview, revision: 1 }, revision: 1 };
  t.same(retry(state, current), again(oldOne(current)));
  t.same(
    retry(endedByAnother(), { preview: { ...preview, revision: null }, revision: 2 }),
    refused({ reason: 'set-changed', ifMatch: null, current: 3 }),
    'it was shown before there was a set',
  );
  t.end();
});

tap.test('an import whose body is gone is lost, force or not', (t) => {
  for (const force of [false, true])
    t.same(retry(failed(), { force, hasPayload: false }), refused({ reason: 'payload-gone' }));
  const done = { status: 'done', hasPayload: false } as const;
  t.match(retry(failed(), done), refused({ reason: 'not-ended-badly' }), 'why it is not wanted comes first');
  t.end();
});

tap.test('integration that is not enabled refuses, force or not', (t) => {
  const off = { ...failed(), settings: company({ integrationEnabled: false }).settings };
  for (const force of [false, true])
    t.same(retry(off, { force }), refused({ reason: 'integration-not-allowed' }));
  t.end();
});
