import type { CallContext, ImportKind, PayloadReference } from '@rollcall/contracts';

/** An import that is queued and has no terminal event yet. */
export interface PendingImport {
  readonly operationId: string;
  readonly kind: ImportKind;
  /** Of its `ImportQueued`: the order of acceptance. */
  readonly revision: number;
  /** Of the call; the terminal event carries the same. */
  readonly context: CallContext;
  readonly method: string;
  readonly payload: PayloadReference;
  readonly elements: number;
  readonly ifMatch: number | null;
}

/** An Idempotency-Key under which something was accepted within the last 24 hours. */
export interface KeptKey {
  readonly operationId: string;
  readonly bodySha256: string;
  /** `recordedAt` of the event that carries it, ISO 8601 UTC. */
  readonly at: string;
  /** The first answer: 202, or the counts of the 200. */
  readonly answer:
    | { readonly status: 202 }
    | {
        readonly status: 200;
        readonly inserted: number;
        readonly updated: number;
        readonly removed: number;
      };
}
