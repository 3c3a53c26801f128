import { createHash } from 'node:crypto';
import { v5 } from 'uuid';

export interface InvitationRound {
  readonly companyId: number;
  readonly number: number;
  readonly round: number;
}

/** Deterministic per installation (by its key) and round; never two rounds' the same. */
export function messageIds(digestKey: Uint8Array, domain: string): (of: InvitationRound) => string {
  const namespace = createHash('sha256').update('Message-ID').update(digestKey).digest().subarray(0, 16);
  return ({ companyId, number, round }) => `${v5(`${companyId}/${number}/${round}`, namespace)}@${domain}`;
}
