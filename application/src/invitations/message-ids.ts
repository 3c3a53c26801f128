import { createHash } from 'node:crypto';
import { v5 } from 'uuid';

export interface InvitationRound {
  readonly companyId: number;
  /** The employee's. */
  readonly number: number;
  /** 1 for the first; a resend is another. */
  readonly round: number;
}

/**
 * Gives the Message-ID of a round: always the same for the same round of the same installation, which its key tells apart,
 * and never that of another.
 */
export function messageIds(digestKey: Uint8Array, domain: string): (of: InvitationRound) => string {
  const namespace = createHash('sha256').update('Message-ID').update(digestKey).digest().subarray(0, 16);
  return ({ companyId, number, round }) => `${v5(`${companyId}/${number}/${round}`, namespace)}@${domain}`;
}
