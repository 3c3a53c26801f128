import { asBuffer } from '../event-store/linked-events.js';
import { Buffer } from 'node:buffer';

export function fromJson(stored: Uint8Array | undefined): unknown {
  if (stored === undefined) return undefined;
  return JSON.parse(asBuffer(stored).toString());
}

export const toJson = (document: unknown): Uint8Array => Buffer.from(JSON.stringify(document));

/** `manager-sets` [companyId]. */
export interface ManagerSetDocument {
  readonly revision: number;
  readonly total: number;
  readonly lastUser: number;
  readonly lastDepartment: number;
}

/** `streams` [stream]: the last fully applied event. */
export interface StreamDocument {
  readonly revision: number;
  readonly chain: string;
}

export const apiCallsCollection = 'api-calls';
export const attemptsCollection = 'api-call-attempts';

/** `api-call-attempts` [companyId, operationId]: the last report of an attempt. */
export interface ApiCallAttempts {
  readonly Progress: string | null;
}
