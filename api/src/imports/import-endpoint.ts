import { statSync } from 'node:fs';
import {
  discardRows,
  ImportsBusy,
  monotonicMs,
  within,
  type BareImportRequest,
  type ImportOutcome,
  importLimits,
  type ArrivingImport,
  type BodyIntake,
  type Imports,
  type StoredRows,
} from '@rollcall/application';
import type { ImportKind } from '@rollcall/contracts';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { type HeldBody, BodyBuffer } from '../http/body-memory.js';
import {
  callContext,
  callOf,
  callerOf,
  headerValues,
  prefersAsync,
  readIfMatch,
  readIfPreview,
  keyedContext,
  keyHashOf,
  valueOrRefuse,
} from '../http/call.js';
import { reportRead } from '../http/counted-reads.js';
import { hasFlag } from '../http/urls.js';
import { callerHasLeft, receiveBody, sha256Of, type BodySink, declaredLength } from '../http/receive-body.js';
import type { RouteDependencies } from '../route-dependencies.js';
import { sendOutcome } from './import-answers.js';

interface ImportEndpoint {
  /** Also the name of its 400 body. */
  readonly kind: ImportKind;
  readonly url: string;
  /** Unpacked bytes. */
  readonly bodyLimit: number;
}

export function importRoute(endpoint: ImportEndpoint, kit: RouteDependencies) {
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
  readonly #kit: RouteDependencies;

  constructor(endpoint: ImportEndpoint, kit: RouteDependencies) {
    this.#endpoint = endpoint;
    this.#kit = kit;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { sent, outcome } = await this.#accepted(request);
    if ('operationId' in outcome) callOf(request).repeatedOperationId = outcome.operationId;
    if (outcome.kind === 'dry-run' && outcome.rows) this.#holdRows(outcome.rows, request, reply);
    return sendOutcome(reply, outcome, sent, reportRead(this.#kit, request, 'preview of a list'));
  }

  async #accepted(request: FastifyRequest): Promise<{ sent: BareImportRequest; outcome: ImportOutcome }> {
    const { bodies, imports } = this.#kit;
    const { userId, companyId } = callerOf(request);
    const held = bodies.open(userId);
    const { kind } = this.#endpoint;
    const expectedBytes = knownBytes(request);
    const queuedAs = isSureToBeQueued(request) ? callContext(request) : undefined;
    const body = new ArrivingImportBody(imports, { kind, companyId, expectedBytes, queuedAs });
    let deciding: Promise<ImportOutcome> | undefined;
    try {
      const { sent, whole } = await this.#receive(request, held, body);
      // Other calls of this user may have been refused while the body arrived.
      this.#kit.refusals.check(userId);
      deciding = this.#decide(sent, whole);
      const outcome = await this.#inTime(userId, deciding);
      // Before the rows of a dry run take its place.
      held.release();
      return { sent, outcome };
    } finally {
      // A decision that outlasts its answer needs the body until it ends.
      void Promise.allSettled([deciding]).then(() => {
        body.abandon();
        held.release();
      });
    }
  }

  /** A dry run's rows lie in `DATA_DIR` until the answer is read. */
  #holdRows(rows: StoredRows, request: FastifyRequest, { raw }: FastifyReply): void {
    try {
      if (raw.destroyed) throw callerHasLeft();
      const bytes = statSync(rows.path, { throwIfNoEntry: false })?.size ?? 0;
      this.#kit.bodies.holdUntilRead(callerOf(request).userId, bytes, raw);
    } catch (error) {
      discardRows(rows);
      throw error;
    }
  }

  /** The key is in use until the decision: a repeat after a 503 gets a 409, then the outcome. */
  #decide(sent: BareImportRequest, whole: WholeImportBody): Promise<ImportOutcome> {
    const answerBy = monotonicMs() + this.#kit.config.timeouts.answer;
    const keyHash = sent.context.idempotency?.keyHash;
    return this.#kit.runningKeys.alone(keyHash, () => whole.accept({ ...sent, answerBy }));
  }

  async #inTime(userId: number, deciding: Promise<ImportOutcome>): Promise<ImportOutcome> {
    const { config, readModelWait, refusals } = this.#kit;
    const tooLate = (): Error => new ImportsBusy('the import was not decided in time');
    const outcome = await within(deciding, config.timeouts.answer, tooLate).catch((error: unknown) => {
      void deciding.then(dropRows, () => undefined);
      throw error;
    });
    if (outcome.kind === 'refused') refusals.count(userId);
    if ('written' in outcome && outcome.written !== undefined) await readModelWait.until(outcome.written);
    return outcome;
  }

  /** Writes the ApiCalls row of a call that failed before or during acceptance; dry runs have none. */
  async record(request: FastifyRequest, status: 400 | 500, errors: readonly string[]): Promise<void> {
    const { userId } = callerOf(request);
    if (status === 400) {
      this.#kit.refusals.check(userId);
      this.#kit.refusals.count(userId);
    }
    if (isDryRun(request)) return;
    const { bodySha256 = null } = callOf(request);
    const call = { context: callContext(request), method: this.#methodOf(request), bodySha256, status };
    await this.#kit.imports.refuse(call, errors);
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
    this.#kit.refusals.check(callerOf(request).userId);
    const sentKey = keyHashOf(request, method);
    const ifMatch = valueOrRefuse(readIfMatch(headerValues(request, 'if-match')));
    const ifPreview = valueOrRefuse(readIfPreview(headerValues(request, 'if-preview')));
    const { config } = this.#kit;
    await receiveBody(request, { limit: bodyLimit, timeouts: config.timeouts, held }, body);
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
      ifPreview,
      details: dryRun && hasFlag(request, 'Details') ? Infinity : 0,
      keepsRenames: keepsRenames(request),
    };
    return { sent, whole };
  }

  /** As an ApiCalls row shows it. */
  #methodOf(request: FastifyRequest): string {
    return `PUT ${this.#endpoint.url.replace(':companyId', String(callerOf(request).companyId))}`;
  }
}

const dropRows = (outcome: ImportOutcome): void => {
  if (outcome.kind === 'dry-run') discardRows(outcome.rows);
};

const isSureToBeQueued = (request: FastifyRequest): boolean =>
  !isDryRun(request) && prefersAsync(headerValues(request, 'prefer'));

const keepsRenames = ({ query }: FastifyRequest): boolean =>
  typeof query === 'object' && query !== null && Reflect.get(query, 'Renames') === 'keep';

const isDryRun = (request: FastifyRequest): boolean => hasFlag(request, 'dryRun');

const { heldBody: maxHeldBytes, heldUnknownBody: maxHeldUnknownBytes } = importLimits;

/** Unpacked length; undefined for a packed body and one without a length. */
function knownBytes({ raw }: FastifyRequest): number | undefined {
  const isPacked = (raw.headers['content-encoding'] ?? 'identity').trim().toLowerCase() === 'gzip';
  return isPacked ? undefined : declaredLength(raw);
}

/** A small arriving body is held, a thread takes up a larger one. The caller must call `abandon`. */
export class ArrivingImportBody implements BodySink {
  readonly #imports: Pick<Imports, 'accept' | 'takeUp'>;
  readonly #arriving: ArrivingImport;
  readonly #maxHeld: number;
  readonly #held = new BodyBuffer();
  #intake: BodyIntake | undefined;

  constructor(imports: Pick<Imports, 'accept' | 'takeUp'>, arriving: ArrivingImport) {
    this.#imports = imports;
    this.#arriving = arriving;
    this.#maxHeld = arriving.expectedBytes === undefined ? maxHeldUnknownBytes : maxHeldBytes;
  }

  take(chunk: Uint8Array): Promise<void> | undefined {
    this.#held.add(chunk);
    return this.#intake || this.#held.length > this.#maxHeld ? this.#handOver(undefined) : undefined;
  }

  /** Call it after the last chunk. */
  async whole(): Promise<WholeImportBody> {
    if (!this.#intake && this.#held.length <= maxHeldBytes)
      return heldBody(this.#imports, this.#held.takeWhole());
    await this.#handOver(this.#held.length);
    const intake = this.#intake;
    if (!intake) throw new Error('a body was handed over to nobody');
    return { sha256: await intake.end(), accept: (request) => intake.accept(request) };
  }

  /** Discards the body unless it is decided on. */
  abandon(): void {
    this.#intake?.abandon();
  }

  /** `length` is given where the whole body is held. */
  #handOver(length: number | undefined): Promise<void> | undefined {
    const expectedBytes = this.#arriving.expectedBytes ?? length;
    this.#intake ??= this.#imports.takeUp({ ...this.#arriving, expectedBytes });
    return this.#intake.write(this.#held.take());
  }
}

interface WholeImportBody {
  readonly sha256: string;
  /** Decides on the body; call it once. */
  readonly accept: (request: BareImportRequest) => Promise<ImportOutcome>;
}

function heldBody(imports: Pick<Imports, 'accept'>, body: Uint8Array<ArrayBuffer>): WholeImportBody {
  const sha256 = sha256Of(body);
  return { sha256, accept: (request) => imports.accept({ ...request, body, bodySha256: sha256 }) };
}
