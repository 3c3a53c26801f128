import type { EmployeeListReading, Digester } from '@rollcall/employee-lists';
import type { KnownEmails } from './renames.js';

/** `PUT /v1.0/Company/{companyId}/Employee`. */
export interface ReplaceEmployeeSet {
  readonly companyId: number;
  readonly operationId: string;
  /** SHA-256 of the body as received (unpacked), hex. */
  readonly bodySha256: string;
  /** When the call came in, ms since the epoch: "now" for its invitations. */
  readonly receivedAt: number;
  /** When it is decided, ms since the epoch: a queued import is bound by the limit of the moment when it runs. By default `receivedAt`. */
  readonly decidedAt?: number | undefined;
  /** The outcome that somebody has approved: it may pass the batch limit. */
  readonly approved?: string | undefined;
  /** Null where the body is the last accepted one (`isLastBody`), which need not be read again. */
  readonly reading: EmployeeListReading | null;
  readonly digester: Digester;
  /** `Renames=keep`: the addresses that are known of those who leave. */
  readonly knownEmails?: KnownEmails | undefined;
}
