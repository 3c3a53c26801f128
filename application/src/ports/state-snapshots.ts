export interface StateSnapshot {
  /** Or a name for several streams; `revision` and `chain` are then those of an event that the bytes name. */
  readonly stream: string;
  readonly revision: number;
  readonly stateVersion: number;
  /** The chain value of the event at `revision`, hex; compare it with the log. */
  readonly chain: string;
  readonly recordedAt: string;
  readonly bytes: Uint8Array;
}

/** A cache of states. A wrong or missing snapshot costs time, never correctness (design: "Deciding", 1). */
export interface StateSnapshots {
  /** As it was put; `unusable` where it is damaged. `ReadModelsUnavailable` in an outage. */
  newest(stream: string, stateVersion: number): Promise<StateSnapshot | 'unusable' | undefined>;
  /** Replaces the stream's snapshot, even a later one: that may be of another log. Atomic and durable. */
  put(snapshot: StateSnapshot): Promise<void>;
  close(): Promise<void>;
}
