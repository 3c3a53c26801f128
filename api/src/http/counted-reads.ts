import type { FastifyRequest } from 'fastify';
import type { AccessRecorder } from '@rollcall/application';
import { callerOf } from './call.js';

/** Reports how many rows of personal data an answer has, once it is made or cut off. */
export async function* countedRows<T extends { readonly length: number }>(
  batches: AsyncIterable<T>,
  report: (rows: number) => void,
  rowsIn: (batch: T) => number = ({ length }) => length,
): AsyncGenerator<T> {
  let rows = 0;
  try {
    for await (const batch of batches) {
      rows += rowsIn(batch);
      yield batch;
    }
  } finally {
    report(rows);
  }
}

export function reportRead(
  { access }: { readonly access: Pick<AccessRecorder, 'read'> },
  request: FastifyRequest,
  what: string,
): (rows: number) => void {
  const { companyId, userId, name } = callerOf(request);
  return (rows) => access.read({ companyId, userId, username: name, what, rows, requestId: request.id });
}
