import { isCompanyHasWork, type CompanyHasWork } from '@rollcall/contracts';

/** The message of the queue `imports`: look whether the company has a pending import. */
export const companyHasWork = (companyId: number): Uint8Array =>
  Buffer.from(JSON.stringify({ type: 'company-has-work', companyId } satisfies CompanyHasWork));

/** The company that a message names; undefined where it is no such message. */
export function companyOfWork(body: Uint8Array): number | undefined {
  const message = parsed(body);
  return isCompanyHasWork(message) ? message.companyId : undefined;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
