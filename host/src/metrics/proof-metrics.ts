import { foundWholeAt, type ProofWatch } from '../health/proof-watch.js';
import type { Metrics } from './metrics.js';

/** At each scrape: what the projector, or `audit verify` on this data folder, has last found of the log. */
export function watchProof(
  metrics: Metrics,
  folder: string,
  watch: Pick<ProofWatch, 'proof' | 'anchoredAt'>,
): void {
  const { lastVerified, lastVerifiedPosition, brokenStreams, lastAnchor } = metrics.families;
  metrics.watch({
    part: 'last_verified',
    gauges: [lastVerified, lastVerifiedPosition, brokenStreams, lastAnchor],
    read: async () => {
      const { proof, anchoredAt } = watch;
      const verifiedAt = await foundWholeAt(proof, folder);
      return () => {
        if (verifiedAt > 0) lastVerified.set(verifiedAt / 1_000);
        if (anchoredAt !== undefined) lastAnchor.set(anchoredAt / 1_000);
        if (proof === undefined) return;
        lastVerifiedPosition.set(Number(proof.verifiedTo ?? 0n));
        brokenStreams.set(proof.broken.length);
      };
    },
  });
}
