import type { ImportOutcome, ImportRequest } from '@rollcall/application';
import type { ImportKind, ImportResult } from '@rollcall/contracts';
import { managers } from '@rollcall/domain';
import type { FastifyReply } from 'fastify';
import { HttpError, invalidRequest } from '../http/errors.js';
import { sendError } from '../http/render-error.js';
import { replayedHeader } from '../http/call.js';
import { sendRehearsal } from './preview-answers.js';

type Done = Extract<ImportOutcome, { kind: 'done' }>;
type Queued = Extract<ImportOutcome, { kind: 'queued' }>;
type AnsweredRequest = Pick<ImportRequest, 'kind' | 'companyId' | 'prefersAsync'>;

const doneBodies: Readonly<Record<ImportKind, (done: Done) => ImportResult | string>> = {
  employees: ({ operationId, counts, ignored }) => ({
    ApiOperationId: operationId,
    Inserted: counts.inserted,
    Updated: counts.updated,
    Removed: counts.removed,
    WasQueued: false,
    IgnoredFields: shownIgnored(ignored),
  }),
  managers: ({ counts: { inserted, updated, removed } }) =>
    managers.resultText({ created: inserted, locked: updated, disabled: removed }),
};

/** Answers an import (interface.md, "ImportResult"; docs/contract, "ApiCalls"). `HttpError` where it was turned away. */
export function sendOutcome(
  reply: FastifyReply,
  outcome: ImportOutcome,
  call: AnsweredRequest,
  reportPreview: (people: number) => void,
): FastifyReply | Promise<FastifyReply> {
  if (isTurnedAway(outcome)) throw turnedAway(outcome);
  reply.type('application/json; charset=utf-8');
  switch (outcome.kind) {
    case 'done':
      reply.headers(replayHeaders(outcome));
      return send(reply, doneBodies[call.kind](outcome));
    case 'queued':
      reply.code(202).headers(queuedHeaders(outcome, call));
      return send(reply, queuedBody(outcome));
    case 'dry-run':
      return sendRehearsal(reply, outcome, call.kind, reportPreview);
    case 'refused':
      // The call's row is already written, by the code that accepts imports.
      return sendError(invalidRequest(outcome.errors), reply);
    default:
      return outcome satisfies never;
  }
}

const replayHeaders = ({ replayed }: Done): Record<string, string> => (replayed ? replayedHeader : {});

const send = (reply: FastifyReply, body: unknown): FastifyReply => reply.send(JSON.stringify(body));

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

const shownIgnored = (ignored: Done['ignored']): ImportResult['IgnoredFields'] =>
  Object.keys(ignored).length > 0 ? ignored : null;

const queuedBody = ({ operationId, ignored }: Queued): ImportResult => ({
  ApiOperationId: operationId,
  Inserted: 0,
  Updated: 0,
  Removed: 0,
  WasQueued: true,
  IgnoredFields: shownIgnored(ignored),
});

const turnedAwayKinds = [
  'key-reused',
  'keys-full',
  'precondition-failed',
  'preview-unusable',
  'queue-full',
] as const;
type TurnedAway = Extract<ImportOutcome, { kind: (typeof turnedAwayKinds)[number] }>;

const isTurnedAway = (outcome: ImportOutcome): outcome is TurnedAway =>
  turnedAwayKinds.some((kind) => kind === outcome.kind);

function turnedAway(outcome: TurnedAway): HttpError {
  switch (outcome.kind) {
    case 'key-reused':
      return new HttpError('unprocessable');
    case 'precondition-failed':
      return preconditionFailed(outcome);
    case 'preview-unusable':
      return invalidRequest([`Header 'If-Preview' ${previewProblems[outcome.problem]}`]);
    case 'keys-full':
      return keysFull();
    case 'queue-full':
      return queueFull();
    default:
      return outcome satisfies never;
  }
}

const previewProblems = {
  unknown: 'is no PreviewId of this installation, or was changed',
  foreign: 'is the PreviewId of another company or import',
  expired: 'has expired: make the dry run again',
} as const;

const previewDifferences = {
  body: 'the body is another one than that of the dry run',
  revision: 'the set has changed since the dry run',
  outcome: 'the same body comes to another change: the settings, or Renames, are others than in the dry run',
} as const;

type PreconditionFailed = Extract<TurnedAway, { kind: 'precondition-failed' }>;

/** A 412 with the current revision in its text and as its ETag. */
function preconditionFailed({ current, preview }: PreconditionFailed): HttpError {
  const headers = current === null ? {} : { etag: `"${current}"` };
  if (preview !== undefined)
    return new HttpError('precondition-failed', {
      message: `The preview no longer holds: ${previewDifferences[preview]}. Make the dry run again, and send its PreviewId.`,
      headers,
    });
  if (current === null)
    return new HttpError('precondition-failed', {
      message: 'If-Match names a revision, and the set has none yet. Send the call without If-Match.',
    });
  return new HttpError('precondition-failed', {
    message: `The set is at revision "${current}", which If-Match does not name. Read it again, and send the ETag of that answer.`,
    headers,
  });
}

/** A 429: the company's Idempotency-Keys are used up. Each is freed 24 hours after its call. */
const keysFull = (): HttpError =>
  new HttpError('too-many-requests', {
    message:
      'Too many Idempotency-Keys of this company are kept. Send fewer calls with a key, and try again after the seconds in Retry-After.',
    headers: { 'retry-after': '600' },
    reason: 'too many idempotency keys',
  });

const queueFull = (): HttpError =>
  new HttpError('too-many-requests', {
    message:
      'Too many imports of this company are pending. Wait until some of them have ended, and try again after the seconds in Retry-After.',
    headers: { 'retry-after': '30' },
    reason: 'too many pending imports',
  });
