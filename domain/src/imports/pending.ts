import type {
  CallContext,
  ImportHeld,
  ImportKind,
  ImportPreview,
  PayloadReference,
} from '@rollcall/contracts';

export interface PendingImport {
  readonly operationId: string;
  readonly kind: ImportKind;
  /** Of its `ImportQueued`: the order of acceptance. */
  readonly revision: number;
  /** Of the call; its terminal event carries the same. */
  readonly context: CallContext;
  readonly method: string;
  readonly payload: PayloadReference;
  readonly elements: number;
  readonly ifMatch: number | null;
  readonly preview: ImportPreview | null;
  readonly keepsRenames: boolean;
  /** Null where it was never held. */
  readonly hold: Hold | null;
}

/** The newest hold of an import. */
export interface Hold {
  readonly held: ImportHeld;
  /** `recordedAt`, ISO 8601 UTC. */
  readonly since: string;
  readonly times: number;
  readonly isApproved: boolean;
  /** The company's settings were changed since: what was approved is decided anew. */
  readonly isOutdated: boolean;
}

/** Accepted within the last 24 hours. */
export interface KeptKey {
  readonly operationId: string;
  readonly bodySha256: string;
  /** `recordedAt` of its event, ISO 8601 UTC. */
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
