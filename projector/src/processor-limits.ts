export const limits = {
  batchEvents: 2_000,
  batchWrites: 8_000,
  batchBytes: 16 * 1024 * 1024,
  /** Events of parts that others hold, between two moves of the checkpoint. */
  passed: 20_000,
  largeInFlight: 2,
  /** Events queued after large ones, or after a gap, before reading stops. */
  waiting: 10_000,
  waitingBytes: 32 * 1024 * 1024,
  behindGap: 100_000,
} as const;
