import type { ImportOutcome, ImportRequest } from '@rollcall/application';
import type { ImportKind, ImportResult } from '@rollcall/contracts';
import { managers } from '@rollcall/domain';
import { HttpError } from '../http/errors.js';
import { replayedHeader } from '../idempotency/keyed-call.js';

/** What leaves where an import was accepted or rehearsed. */
export interface ImportAnswer {
  readonly status: 200 | 202;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Done = Extract<ImportOutcome, { kind: 'done' }>;
type Queued = Extract<ImportOutcome, { kind: 'queued' }>;
type Rehearsed = Extract<ImportOutcome, { kind: 'dry-run' }>;
type AnsweredRequest = Pick<ImportRequest, 'kind' | 'companyId' | 'prefersAsync'>;

const doneBodies: Readonly<Record<ImportKind, (done: Done) => ImportResult | string>> = {
  employees: ({ operationId, counts }) => ({
    ApiOperationId: operationId,
    Inserted: counts.inserted,
    Updated: counts.updated,
    Removed: counts.removed,
    WasQueued: false,
  }),
  managers: ({ counts: { inserted, updated, removed } }) =>
    managers.resultText({ created: inserted, locked: updated, disabled: removed }),
};

/** The answer to an import call (interface.md, "ImportResult"; docs/contract, "ApiCalls"). */
export function answerTo(outcome: Done | Queued | Rehearsed, call: AnsweredRequest): ImportAnswer {
  switch (outcome.kind) {
    case 'done':
      return {
        status: 200,
        headers: outcome.replayed ? replayedHeader : {},
        body: doneBodies[call.kind](outcome),
      };
    case 'queued':
      return { status: 202, headers: queuedHeaders(outcome, call), body: queuedBody(outcome.operationId) };
    case 'dry-run':
      return { status: 200, headers: {}, body: outcome.result };
    default:
      return outcome satisfies never;
  }
}

function queuedHeaders(
  { operationId, replayed }: Queued,
  { companyId, prefersAsync }: AnsweredRequest,
): Record<string, string> {
  return {
    location: `/v1.0/Company/${companyId}/ApiCalls?ApiOperationId=${operationId}`,
    'retry-after': '1',
    ...(prefersAsync ? { 'preference-applied': 'respond-async' } : {}),
    ...(replayed ? replayedHeader : {}),
  };
}

const queuedBody = (operationId: string): ImportResult => ({
  ApiOperationId: operationId,
  Inserted: 0,
  Updated: 0,
  Removed: 0,
  WasQueued: true,
});

/** A 412 that names the revision in force, in its text and as its ETag. */
export function preconditionFailed(current: number | null): HttpError {
  if (current === null)
    return new HttpError('precondition-failed', {
      message: 'If-Match names a revision, and the set has none yet. Send the call without If-Match.',
    });
  const etag = `"${current}"`;
  return new HttpError('precondition-failed', {
    message: `The set is at revision ${etag}, which If-Match does not name. Read it again, and send the ETag of that answer.`,
    headers: { etag },
  });
}
