import { Buffer } from 'node:buffer';

/** A document of JSON text, as its collection holds it; undefined where there is none. */
export function fromJson(stored: Uint8Array | undefined): unknown {
  if (stored === undefined) return undefined;
  return JSON.parse(Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString());
}

/** `employee-sets` [companyId]: what is said of the whole set; written behind the rows and their order. */
export interface EmployeeSetDocument {
  /** Of the company's stream: of the event by which the set became this one. */
  readonly revision: number;
  readonly total: number;
  readonly setDigest: string;
  /** The highest number that was ever given. */
  readonly lastNumber: number;
}

/** `manager-sets` [companyId]. */
export interface ManagerSetDocument {
  readonly revision: number;
  readonly total: number;
  readonly lastUser: number;
  readonly lastDepartment: number;
}

/** `streams` [stream]: the last event of it that is applied whole. */
export interface StreamDocument {
  readonly revision: number;
  /** Its chain value, hex. */
  readonly chain: string;
}

export const apiCallsCollection = 'api-calls';
export const attemptsCollection = 'api-call-attempts';

/** `api-call-attempts` [companyId, operationId]: what was last told of an attempt, by the operation's stream. */
export interface ApiCallAttempts {
  readonly Progress: string | null;
}
