import type { CallContext } from '@rollcall/contracts';

/** One call of the employee synchronisation, its body received whole. */
export interface EmployeeImportRequest {
  readonly companyId: number;
  readonly context: CallContext;
  /** `PUT /v1.0/Company/7/Employee`, for the ApiCalls row. */
  readonly method: string;
  /** The unpacked body, on a SharedArrayBuffer: it is read where it lies. */
  readonly body: Uint8Array;
  /** Hex, of the unpacked body. */
  readonly bodySha256: string;
  readonly dryRun: boolean;
}

/** What a rehearsal would have done (docs/contract, "Dry run"). */
export interface DryRunResult {
  readonly DryRun: true;
  readonly Inserted: number;
  readonly Updated: number;
  readonly Removed: number;
  readonly WasQueued: false;
  /** EmployeeIDs, at most 1,000 of each kind. */
  readonly Changes: {
    readonly Inserted: readonly string[];
    readonly Updated: readonly string[];
    readonly Removed: readonly string[];
  };
  readonly BatchLimit: {
    /** Percent; null where the company has no limit. */
    readonly Limit: number | null;
    readonly Present: number;
    readonly Exceeded: boolean;
  };
  /** Names of unknown members, each with the number of elements that carry it. */
  readonly IgnoredFields: Readonly<Record<string, number>>;
  readonly PendingImports: number;
}

export type EmployeeImportOutcome =
  | {
      readonly kind: 'done';
      readonly inserted: number;
      readonly updated: number;
      readonly removed: number;
      /** The event's place in the log. */
      readonly position: bigint;
    }
  | {
      readonly kind: 'refused';
      /** The texts for `ValidationErrors`. */
      readonly errors: readonly string[];
      /** Of the refusal in the log; undefined for a rehearsal, which leaves none. */
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'dry-run'; readonly result: DryRunResult };

/** Carries out employee synchronisations. Outages and bugs throw. */
export interface EmployeeImports {
  run(request: EmployeeImportRequest): Promise<EmployeeImportOutcome>;
  /** Writes the row of a call that was refused before its body could be read. Gives its place in the log. */
  refuse(request: Omit<EmployeeImportRequest, 'body' | 'dryRun'> , errors: readonly string[]): Promise<bigint>;
  close(): Promise<void>;
}
