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

/** A 401 or 500, or an outage that outlasted all retries. */
export class RollcallError extends Error {
  override readonly name = 'RollcallError';
  readonly status: number;
  readonly requestId: string | null;

  constructor({ status, headers }: Response, body: unknown) {
    const said = typeof body === 'object' && body !== null && 'Message' in body ? String(body.Message) : '';
    super(`The service answered ${status}. ${said}`.trim());
    this.status = status;
    this.requestId = headers.get('x-request-id');
  }
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

class EmployeeCalls {
  readonly #client: RollcallClient;
  readonly #path: { readonly companyId: number };
  readonly #body: Employee[];
  readonly #follow: (call: ApiCall) => void;
  readonly #wait: (milliseconds: number) => Promise<void>;

  constructor(options: SyncOptions, body: readonly Employee[]) {
    this.#client = rollcallClient(options);
    this.#path = { companyId: options.companyId };
    this.#body = [...body];
    this.#follow = options.follow ?? (() => undefined);
    this.#wait = options.wait ?? ((milliseconds) => setTimeout(milliseconds));
  }

  async rehearse() {
    const params = { path: this.#path, query: { dryRun: true } };
    const body = this.#body;
    const { data, error, response } = await this.#calmly(() => this.#client.PUT(employees, { params, body }));
    if (data && 'DryRun' in data) return { kind: 'rehearsed', rehearsal: data } as const;
    return refusedOrThrow(response, error);
  }

  /** Exactly what was rehearsed, or nothing. */
  async carryOut(previewId: string): Promise<SyncResult> {
    const header = { 'Idempotency-Key': globalThis.crypto.randomUUID(), 'If-Preview': previewId };
    const call = { params: { path: this.#path, header }, body: this.#body };
    const { data, error, response } = await this.#calmly(() => this.#client.PUT(employees, call));
    if (response.status === 412) return { kind: 'changed-meanwhile' };
    if (!data || 'DryRun' in data) return refusedOrThrow(response, error);
    return data.WasQueued ? this.#followed(data.ApiOperationId) : { kind: 'done', ...data };
  }

  async #followed(operationId: string): Promise<SyncResult> {
    const params = { path: this.#path, query: { ApiOperationId: operationId } };
    for (;;) {
      const { data, error, response } = await this.#calmly(() =>
        this.#client.GET('/v1.0/Company/{companyId}/ApiCalls', { params }),
      );
      if (!data) throw new RollcallError(response, error);
      const [row] = data;
      if (row) this.#follow(row);
      if (row && row.CompletedOn !== null) return endOf(row);
      await this.#wait(1_000);
    }
  }

  /** Retries while the service is unreachable. */
  async #calmly<T extends { readonly response: Response }>(call: () => Promise<T>): Promise<T> {
    for (let failed = 1; failed < tries; failed++) {
      const outcome = await call().catch(() => undefined);
      if (outcome && !passing.includes(outcome.response.status)) return outcome;
      const asked = Number(outcome?.response.headers.get('retry-after'));
      await this.#wait(1_000 * (asked || 2 ** failed));
    }
    return call();
  }
}

function refusedOrThrow(response: Response, body: unknown) {
  if (response.status !== 400 || !hasErrors(body)) throw new RollcallError(response, body);
  return { kind: 'refused', errors: body.ValidationErrors } as const;
}

const hasErrors = (body: unknown): body is components['schemas']['ImportErrors'] =>
  typeof body === 'object' && body !== null && 'ValidationErrors' in body;

function endOf(row: ApiCall): SyncResult {
  const { ApiOperationId, HttpStatusCode, HttpStatusReason, Inserted, Updated, Removed, ValidationErrors } =
    row;
  if (HttpStatusCode === 200) return { kind: 'done', ApiOperationId, Inserted, Updated, Removed };
  if (HttpStatusCode === 412) return { kind: 'changed-meanwhile' };
  return { kind: 'refused', errors: ValidationErrors.length > 0 ? ValidationErrors : [HttpStatusReason] };
}
