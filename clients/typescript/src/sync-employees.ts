import { setTimeout } from 'node:timers/promises';
import { rollcallClient, type ClientOptions, type RollcallClient } from './client.js';
import type { components } from './schema.js';

export type Employee = components['schemas']['Employee'];
export type Rehearsal = components['schemas']['DryRunResult'];
export type ApiCall = components['schemas']['ApiCall'];

export interface SyncOptions extends ClientOptions {
  readonly companyId: number;
  /** Everybody: employees who are not in it are removed. */
  readonly list: readonly Employee[] | (() => Promise<readonly Employee[]>);
  /** Called with the rehearsal before anything changes. */
  readonly preview?: (rehearsal: Rehearsal) => void | Promise<void>;
  /** Whether to carry it out. */
  readonly apply: boolean | ((rehearsal: Rehearsal) => boolean | Promise<boolean>);
  /** Called with each reading of a queued import's row. */
  readonly follow?: (call: ApiCall) => void;
  /** Ends calls and waiting, for example of an import that is held. Its reason is thrown; what the service has is still carried out. */
  readonly signal?: AbortSignal;
  readonly wait?: (milliseconds: number) => Promise<void>;
  /** Ends a try that has no answer; `AbortSignal.timeout` by default. */
  readonly timeout?: (milliseconds: number) => AbortSignal;
}

/** Names the import, where the service has recorded it. */
interface Recorded {
  readonly ApiOperationId: string | null;
}

export type SyncResult =
  | ({ readonly kind: 'done' } & Pick<ApiCall, 'ApiOperationId' | 'Inserted' | 'Updated' | 'Removed'>)
  /** `apply` said no. */
  | { readonly kind: 'not-applied' }
  /** The employees changed after the rehearsal; nothing was done. Start again. */
  | ({ readonly kind: 'changed-meanwhile' } & Recorded)
  /** Nothing was done: errors of the list, or why the import ended. */
  | ({ readonly kind: 'refused'; readonly errors: readonly string[] } & Recorded);

/** Any other answer than `SyncResult` has, such as 401, 413, 422 or 500; an outage, 409 or 429 that outlasted all retries. */
export class RollcallError extends Error {
  override readonly name = 'RollcallError';
  /** Null where there was no answer; `cause` says why. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** The import's ApiOperationId; null where the service did not name one. A queued import may still be carried out. */
  readonly operationId: string | null;

  constructor(response: Response | undefined, body: unknown, options?: ErrorOptions) {
    super(messageOf(response, body, options?.cause), options);
    this.status = response?.status ?? null;
    this.requestId = response?.headers.get('x-request-id') ?? null;
    this.operationId = textIn(body, 'ApiOperationId') ?? null;
  }
}

function messageOf(response: Response | undefined, body: unknown, cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'The service did not answer in time.';
  if (!response) return 'The service cannot be reached.';
  if (cause !== undefined)
    return `The service answered ${response.status}, but its answer is not whole JSON.`;
  return `The service answered ${response.status}. ${textIn(body, 'Message') ?? ''}`.trim();
}

function textIn(body: unknown, member: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Rehearses, shows, asks, carries out exactly that, and follows a queued import. Retries outages safely. Throws `RollcallError`, and
 * `TypeError` for options that cannot be sent. What is thrown while it follows an import has the `operationId`.
 */
export async function syncEmployees(options: SyncOptions): Promise<SyncResult> {
  const { list, preview, apply } = options;
  const calls = new EmployeeCalls(options, typeof list === 'function' ? await list() : list);
  const rehearsed = await calls.rehearse();
  if (rehearsed.kind === 'refused') return rehearsed;
  const { rehearsal } = rehearsed;
  await preview?.(rehearsal);
  const isWanted = typeof apply === 'function' ? await apply(rehearsal) : apply;
  return isWanted ? calls.carryOut(rehearsal.PreviewId) : { kind: 'not-applied' };
}

const employees = '/v1.0/Company/{companyId}/Employee';
const tries = 5;
const passing: readonly number[] = [408, 409, 429, 502, 503, 504];
/** Milliseconds. A try has the first, and the second for each 64 KiB of the list. */
const answerTime = 60_000;
const uploadTime = 1_000;
const maxWait = 60_000;
/** Readings, a second apart, for a row that the service has not written yet. */
const maxReadingsWithoutRow = 60;

type Answered = { readonly response: Response };

const isPassing = (outcome: Answered | RollcallError): boolean =>
  outcome instanceof RollcallError || passing.includes(outcome.response.status);

/** Milliseconds; 0 where the service asks for no wait. */
function askedWait(outcome: Answered | RollcallError): number {
  if (outcome instanceof RollcallError) return 0;
  const { headers } = outcome.response;
  const asked = headers.get('retry-after') ?? '';
  // The service's own clock, where it says the time.
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  return 1_000 * Number(asked) || Date.parse(asked) - now || 0;
}

/** What cannot be sent is an error of the caller, not an outage. */
function bytesToSend({ baseUrl, token }: SyncOptions, body: readonly Employee[]): number {
  new Request(baseUrl, { headers: { authorization: `Bearer ${token}` } });
  return new TextEncoder().encode(JSON.stringify(body)).length;
}

const withOperation = (error: unknown, operationId: string): unknown =>
  error instanceof Error && Object.isExtensible(error) ? Object.assign(error, { operationId }) : error;

type Call<T> = (init: { readonly signal: AbortSignal | null }) => Promise<T>;

class EmployeeCalls {
  readonly #client: RollcallClient;
  readonly #path: { readonly companyId: number };
  readonly #body: Employee[];
  readonly #follow: (call: ApiCall) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #timeout: () => AbortSignal;
  #answer: Response | undefined;

  constructor(options: SyncOptions, body: readonly Employee[]) {
    const timeout = answerTime + uploadTime * Math.ceil(bytesToSend(options, body) / 65_536);
    this.#timeout = () => options.timeout?.(timeout) ?? AbortSignal.timeout(timeout);
    this.#client = rollcallClient(options);
    this.#client.use({ onResponse: ({ response }) => void (this.#answer = response) });
    this.#path = { companyId: options.companyId };
    this.#body = [...body];
    this.#follow = options.follow ?? (() => undefined);
    const { signal } = options;
    this.#signal = signal;
    this.#wait =
      options.wait ?? ((milliseconds) => setTimeout(milliseconds, undefined, signal && { signal }));
  }

  async rehearse() {
    const params = { path: this.#path, query: { dryRun: true } };
    const body = this.#body;
    const { data, error, response } = await this.#calmly((init) =>
      this.#client.PUT(employees, { params, body, ...init }),
    );
    if (data && 'DryRun' in data) return { kind: 'rehearsed', rehearsal: data } as const;
    return refusedOrThrow(response, error);
  }

  /** Exactly what was rehearsed, or nothing. */
  async carryOut(previewId: string): Promise<SyncResult> {
    const header = { 'Idempotency-Key': globalThis.crypto.randomUUID(), 'If-Preview': previewId };
    const call = { params: { path: this.#path, header }, body: this.#body };
    const { data, error, response } = await this.#calmly((init) =>
      this.#client.PUT(employees, { ...call, ...init }),
    );
    if (response.status === 412) return { kind: 'changed-meanwhile', ApiOperationId: null };
    if (!data || 'DryRun' in data) return refusedOrThrow(response, error);
    const { ApiOperationId, WasQueued, Inserted, Updated, Removed } = data;
    if (!WasQueued) return { kind: 'done', ApiOperationId, Inserted, Updated, Removed };
    return this.#followed(ApiOperationId).catch((thrown: unknown) => {
      throw withOperation(thrown, ApiOperationId);
    });
  }

  async #followed(operationId: string): Promise<SyncResult> {
    const params = { path: this.#path, query: { ApiOperationId: operationId } };
    for (let missing = 0; ;) {
      const { data, error, response } = await this.#calmly((init) =>
        this.#client.GET('/v1.0/Company/{companyId}/ApiCalls', { params, ...init }),
      );
      if (!data) throw new RollcallError(response, error);
      const [row] = data;
      if (row) this.#follow(row);
      if (row && row.CompletedOn !== null) return endOf(row);
      if (!row && ++missing === maxReadingsWithoutRow)
        throw new RollcallError(response, { Message: 'It does not show the import.' });
      await this.#pause(1_000);
    }
  }

  /** Retries what may pass: five tries, with half a minute of waits at least and four minutes at most. */
  async #calmly<T extends Answered>(call: Call<T>): Promise<T> {
    for (let failed = 1; ; failed++) {
      const outcome = await this.#once(call);
      if (failed === tries || !isPassing(outcome)) {
        if (outcome instanceof RollcallError) throw outcome;
        return outcome;
      }
      await this.#pause(Math.min(maxWait, Math.max(askedWait(outcome), 1_000 * 2 ** failed)));
    }
  }

  /** `RollcallError` where there was no answer, or none that can be read. */
  async #once<T>(call: Call<T>): Promise<T | RollcallError> {
    const own = this.#signal;
    own?.throwIfAborted();
    this.#answer = undefined;
    try {
      return await call({ signal: AbortSignal.any([this.#timeout(), ...(own ? [own] : [])]) });
    } catch (cause) {
      own?.throwIfAborted();
      return new RollcallError(this.#answer, undefined, { cause });
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await this.#wait(milliseconds).catch((error: unknown) => {
      this.#signal?.throwIfAborted();
      throw error;
    });
  }
}

function refusedOrThrow(response: Response, body: unknown) {
  if (response.status !== 400 || !hasErrors(body)) throw new RollcallError(response, body);
  const { ApiOperationId, ValidationErrors: errors } = body;
  return { kind: 'refused', ApiOperationId, errors } as const;
}

const hasErrors = (body: unknown): body is components['schemas']['ImportErrors'] =>
  typeof body === 'object' && body !== null && 'ValidationErrors' in body;

function endOf(row: ApiCall): SyncResult {
  const { ApiOperationId, HttpStatusCode, Inserted, Updated, Removed, ValidationErrors } = row;
  if (HttpStatusCode === 200) return { kind: 'done', ApiOperationId, Inserted, Updated, Removed };
  if (HttpStatusCode === 412) return { kind: 'changed-meanwhile', ApiOperationId };
  const reason = row.Result ?? row.HttpStatusReason;
  const errors = ValidationErrors.length > 0 ? ValidationErrors : [reason];
  return { kind: 'refused', ApiOperationId, errors };
}
