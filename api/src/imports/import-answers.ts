import type { ImportOutcome, ImportRequest } from '@rollcall/application';
import type { ImportKind, ImportResult } from '@rollcall/contracts';
import { managers } from '@rollcall/domain';
import type { FastifyReply } from 'fastify';
import { HttpError } from '../http/errors.js';
import { refusalBodies } from '../http/refusal-bodies.js';
import { replayedHeader } from '../idempotency/keyed-call.js';

type Done = Extract<ImportOutcome, { kind: 'done' }>;
type Queued = Extract<ImportOutcome, { kind: 'queued' }>;
type AnsweredRequest = Pick<ImportRequest, 'kind' | 'companyId' | 'context' | 'prefersAsync'>;

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

/**
 * Sends the answer to an import call (interface.md, "ImportResult"; docs/contract, "ApiCalls"). Throws the `HttpError` of a
 * call that was turned away.
 */
export function sendOutcome(
  reply: FastifyReply,
  outcome: ImportOutcome,
  call: AnsweredRequest,
): FastifyReply {
  reply.type('application/json; charset=utf-8');
  switch (outcome.kind) {
    case 'done':
      reply.headers(replayHeaders(outcome));
      return send(reply, doneBodies[call.kind](outcome));
    case 'queued':
      reply.code(202).headers(queuedHeaders(outcome, call));
      return send(reply, queuedBody(outcome.operationId));
    case 'dry-run':
      return send(reply, outcome.result);
    case 'refused':
      return send(reply.code(400), refusalBody(call, outcome.errors));
    case 'key-reused':
    case 'precondition-failed':
    case 'queue-full':
      throw turnedAway(outcome);
    default:
      return outcome satisfies never;
  }
}

const replayHeaders = ({ replayed }: Done): Record<string, string> => (replayed ? replayedHeader : {});

const send = (reply: FastifyReply, body: unknown): FastifyReply => reply.send(JSON.stringify(body));

/** Its row is written: the refusal came from where imports are accepted. */
const refusalBody = ({ kind, context }: AnsweredRequest, errors: readonly string[]): object | string =>
  refusalBodies[kind]({ message: '', errors, operationId: () => context.operationId });

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

type TurnedAway = Extract<ImportOutcome, { kind: 'key-reused' | 'precondition-failed' | 'queue-full' }>;

/** The error that answers a call which left nothing. */
function turnedAway(outcome: TurnedAway): HttpError {
  switch (outcome.kind) {
    case 'key-reused':
      return new HttpError('unprocessable');
    case 'precondition-failed':
      return preconditionFailed(outcome.current);
    case 'queue-full':
      return queueFull();
    default:
      return outcome satisfies never;
  }
}

/** A 412 that names the revision in force, in its text and as its ETag. */
function preconditionFailed(current: number | null): HttpError {
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

/** A 429: the company has as many imports in its queue as may be. */
const queueFull = (): HttpError =>
  new HttpError('too-many-requests', {
    message:
      'Too many imports of this company are pending. Wait until some of them have ended, and try again after the seconds in Retry-After.',
    headers: { 'retry-after': '30' },
    reason: 'too many pending imports',
  });
