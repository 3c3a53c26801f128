import { type BareImportRequest, type ImportOutcome } from '@rollcall/application';
import type { ImportKind } from '@rollcall/contracts';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { HeldBody } from '../http/body-budget.js';
import { callContext, callOf, callerOf } from '../http/call.js';
import { headerValues, prefersAsync, readIfMatch } from '../http/call-headers.js';
import { receiveLargeBody } from '../http/json-body.js';
import { hasFlag } from '../http/query.js';
import type { RouteDependencies } from '../http/route-dependencies.js';
import { keyedContext, keyHashOf, valueOrRefuse } from '../idempotency/keyed-call.js';
import { ArrivingImportBody, expectedBytes, type WholeImportBody } from './arriving-import.js';
import { sendOutcome } from './import-answers.js';

/** What makes one import endpoint another than the other. */
export interface ImportEndpoint {
  /** Also the name of its 400 body. */
  readonly kind: ImportKind;
  /** The path as an ApiCalls row shows it. */
  readonly pathOf: (companyId: number) => string;
  /** Unpacked bytes. */
  readonly bodyLimit: number;
}

type EndpointKit = Pick<
  RouteDependencies,
  'bodies' | 'config' | 'imports' | 'readModelWait' | 'refusals' | 'runningKeys'
>;

/** The handler and the settings of the route of an import: both imports are accepted in the same way. */
export function importRoute(endpoint: ImportEndpoint, kit: EndpointKit) {
  const calls = new ImportCalls(endpoint, kit);
  const config: FastifyContextConfig = {
    errorBody: endpoint.kind,
    body: 'stream',
    recordFailure: (...failure) => calls.record(...failure),
  };
  return {
    config,
    handler: (request: FastifyRequest, reply: FastifyReply) => calls.answer(request, reply),
  };
}

class ImportCalls {
  readonly #endpoint: ImportEndpoint;
  readonly #kit: EndpointKit;

  constructor(endpoint: ImportEndpoint, kit: EndpointKit) {
    this.#endpoint = endpoint;
    this.#kit = kit;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { sent, outcome } = await this.#accepted(request);
    if ('operationId' in outcome) callOf(request).repeatedOperationId = outcome.operationId;
    return sendOutcome(reply, outcome, sent);
  }

  async #accepted(request: FastifyRequest): Promise<{ sent: BareImportRequest; outcome: ImportOutcome }> {
    const { bodies, imports } = this.#kit;
    const { userId, companyId } = callerOf(request);
    const held = bodies.open(userId);
    const { kind, bodyLimit } = this.#endpoint;
    const expected = expectedBytes(request, bodyLimit);
    const queuedAs = isSureToBeQueued(request) ? callContext(request) : undefined;
    const body = new ArrivingImportBody(imports, { kind, companyId, expectedBytes: expected, queuedAs });
    try {
      const { sent, whole } = await this.#receive(request, held, body);
      return { sent, outcome: await this.#accept(request, sent, whole) };
    } finally {
      body.abandon();
      held.release();
    }
  }

  async #accept(
    request: FastifyRequest,
    sent: BareImportRequest,
    whole: WholeImportBody,
  ): Promise<ImportOutcome> {
    const { runningKeys, readModelWait, refusals } = this.#kit;
    const { userId } = callerOf(request);
    // Others of this user were refused while the body came in.
    if (!sent.dryRun) refusals.check(userId);
    const keyHash = sent.context.idempotency?.keyHash;
    const outcome = await runningKeys.alone(keyHash, () => whole.accept(sent));
    if (outcome.kind === 'refused' && !sent.dryRun) refusals.count(userId);
    if ('written' in outcome && outcome.written !== undefined) await readModelWait.until(outcome.written);
    return outcome;
  }

  /** Leaves the ApiCalls row of a call that failed before it was accepted, or in it; rehearsals have none. */
  async record(request: FastifyRequest, status: 400 | 500, errors: readonly string[]): Promise<void> {
    if (isDryRun(request)) return;
    const { bodySha256 = null } = callOf(request);
    if (status === 400) this.#countRefusal(callerOf(request).userId);
    const call = { context: callContext(request), method: this.#methodOf(request), bodySha256, status };
    await this.#kit.imports.refuse(call, errors);
  }

  #countRefusal(userId: number): void {
    this.#kit.refusals.check(userId);
    this.#kit.refusals.count(userId);
  }

  /** Headers first: a bad one is refused before a large body is read. */
  async #receive(
    request: FastifyRequest,
    held: HeldBody,
    body: ArrivingImportBody,
  ): Promise<{ sent: BareImportRequest; whole: WholeImportBody }> {
    const { kind, bodyLimit } = this.#endpoint;
    const method = this.#methodOf(request);
    const dryRun = isDryRun(request);
    if (!dryRun) this.#kit.refusals.check(callerOf(request).userId);
    const sentKey = keyHashOf(request, method);
    const ifMatch = valueOrRefuse(readIfMatch(headerValues(request, 'if-match')));
    const { config } = this.#kit;
    await receiveLargeBody(request, { config, limit: bodyLimit, held }, body);
    const whole = await body.whole();
    callOf(request).bodySha256 = whole.sha256;
    const keyHash = dryRun ? undefined : sentKey;
    const sent = {
      kind,
      companyId: callerOf(request).companyId,
      context: keyedContext(request, { keyHash, bodySha256: whole.sha256 }),
      method,
      dryRun,
      prefersAsync: prefersAsync(headerValues(request, 'prefer')),
      ifMatch,
    };
    return { sent, whole };
  }

  #methodOf(request: FastifyRequest): string {
    return `PUT ${this.#endpoint.pathOf(callerOf(request).companyId)}`;
  }
}

const isSureToBeQueued = (request: FastifyRequest): boolean =>
  !isDryRun(request) && prefersAsync(headerValues(request, 'prefer'));

const isDryRun = (request: FastifyRequest): boolean => hasFlag(request, 'dryRun');
