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
}

export type SyncResult =
  | ({ readonly kind: 'done' } & Pick<ApiCall, 'ApiOperationId' | 'Inserted' | 'Updated' | 'Removed'>)
  /** `apply` said no. */
  | { readonly kind: 'not-applied' }
  /** The employees changed after the rehearsal; nothing was done. Start again. */
  | { readonly kind: 'changed-meanwhile' }
  /** Nothing was done: errors of the list, or why the import ended. */
  | { readonly kind: 'refused'; readonly errors: readonly string[] };

/** Any other answer than `SyncResult` has, such as 401, 413, 422 or 500; an outage, 409 or 429 that outlasted all retries. */
export class RollcallError extends Error {
  override readonly name = 'RollcallError';
  /** Null where there was no answer; `cause` says why. */
  readonly status: number | null;
  readonly requestId: string | null;

  constructor(response: Response | undefined, body: unknown, options?: ErrorOptions) {
    super(response ? answerOf(response, body) : 'The service cannot be reached.', options);
    this.status = response?.status ?? null;
    this.requestId = response?.headers.get('x-request-id') ?? null;
  }
}

function answerOf({ status }: Response, body: unknown): string {
  const said = typeof body === 'object' && body !== null && 'Message' in body ? String(body.Message) : '';
  return `The service answered ${status}. ${said}`.trim();
}

/** Rehearses, shows, asks, carries out exactly that, and follows a queued import. Retries outages safely. Throws `RollcallError`. */
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

type Answered = { readonly response: Response };

const isPassing = (outcome: Answered | RollcallError): boolean =>
  outcome instanceof RollcallError || passing.includes(outcome.response.status);

const secondsAsked = (outcome: Answered | RollcallError): number =>
  outcome instanceof RollcallError ? 0 : Number(outcome.response.headers.get('retry-after'));

type Call<T> = (init: { readonly signal: AbortSignal | null }) => Promise<T>;

class EmployeeCalls {
  readonly #client: RollcallClient;
  readonly #path: { readonly companyId: number };
  readonly #body: Employee[];
  readonly #follow: (call: ApiCall) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #wait: (milliseconds: number) => Promise<void>;

  constructor(options: SyncOptions, body: readonly Employee[]) {
    this.#client = rollcallClient(options);
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
    if (response.status === 412) return { kind: 'changed-meanwhile' };
    if (!data || 'DryRun' in data) return refusedOrThrow(response, error);
    return data.WasQueued ? this.#followed(data.ApiOperationId) : { kind: 'done', ...data };
  }

  async #followed(operationId: string): Promise<SyncResult> {
    const params = { path: this.#path, query: { ApiOperationId: operationId } };
    for (;;) {
      const { data, error, response } = await this.#calmly((init) =>
        this.#client.GET('/v1.0/Company/{companyId}/ApiCalls', { params, ...init }),
      );
      if (!data) throw new RollcallError(response, error);
      const [row] = data;
      if (row) this.#follow(row);
      if (row && row.CompletedOn !== null) return endOf(row);
      await this.#pause(1_000);
    }
  }

  /** Retries what may pass, for half a minute at least. */
  async #calmly<T extends Answered>(call: Call<T>): Promise<T> {
    for (let failed = 1; ; failed++) {
      const outcome = await this.#once(call);
      if (failed === tries || !isPassing(outcome)) {
        if (outcome instanceof RollcallError) throw outcome;
        return outcome;
      }
      await this.#pause(1_000 * Math.max(secondsAsked(outcome) || 0, 2 ** failed));
    }
  }

  /** `RollcallError` where there was no answer. */
  async #once<T>(call: Call<T>): Promise<T | RollcallError> {
    this.#signal?.throwIfAborted();
    try {
      return await call({ signal: this.#signal ?? null });
    } catch (cause) {
      this.#signal?.throwIfAborted();
      return new RollcallError(undefined, undefined, { cause });
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
  return { kind: 'refused', errors: body.ValidationErrors } as const;
}

const hasErrors = (body: unknown): body is components['schemas']['ImportErrors'] =>
  typeof body === 'object' && body !== null && 'ValidationErrors' in body;

function endOf(row: ApiCall): SyncResult {
  const { ApiOperationId, HttpStatusCode, Inserted, Updated, Removed, ValidationErrors } = row;
  if (HttpStatusCode === 200) return { kind: 'done', ApiOperationId, Inserted, Updated, Removed };
  if (HttpStatusCode === 412) return { kind: 'changed-meanwhile' };
  const reason = row.Result ?? row.HttpStatusReason;
  return { kind: 'refused', errors: ValidationErrors.length > 0 ? ValidationErrors : [reason] };
}
