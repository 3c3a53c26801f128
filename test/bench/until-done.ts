import type { ApiCall } from '@rollcall/contracts';
import { until } from '../support/until.js';

const longestMs = 300_000;

/** A call of an API user of the company. */
export interface SentCall {
  readonly url: string;
  readonly token: string;
  readonly companyId: number;
  readonly operationId: string;
}

/** Until the call's row says 200 OK: then all that it changed can be read. */
export async function untilDone(
  { url, token, companyId, operationId }: SentCall,
  everyMs: number,
): Promise<void> {
  const row = `${url}/v1.0/Company/${companyId}/ApiCalls?ApiOperationId=${operationId}`;
  const headers = { authorization: `Bearer ${token}` };
  const isDone = async (): Promise<boolean> => {
    const rows = (await (await fetch(row, { headers })).json()) as ApiCall[];
    if (rows[0] && rows[0].HttpStatusCode >= 400) throw new Error(`The import failed: ${rows[0].Result}`);
    return rows[0]?.HttpStatusCode === 200;
  };
  await until('the import ends', isDone, { withinMs: longestMs, everyMs });
}
