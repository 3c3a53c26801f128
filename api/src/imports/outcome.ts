import type { CallContext, DryRunResult } from '@rollcall/contracts';
import type { RefusedCall } from './refusals.js';

/** One call of the employee synchronisation, its body received whole. */
export interface EmployeeImportRequest {
  readonly companyId: number;
  readonly context: CallContext;
  /** `PUT /v1.0/Company/7/Employee`, for the ApiCalls row. */
  readonly method: string;
  /** The unpacked body. Its memory goes to the thread that reads it. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Hex, of the unpacked body. */
  readonly bodySha256: string;
  readonly dryRun: boolean;
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
  refuse(call: RefusedCall, errors: readonly string[]): Promise<bigint>;
  close(): Promise<void>;
}
