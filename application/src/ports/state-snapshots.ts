/** The state of a stream at one of its revisions, so that a decision need not fold the stream from its beginning. */
export interface StateSnapshot {
  readonly stream: string;
  readonly revision: number;
  /** Of what `bytes` hold and how. */
  readonly stateVersion: number;
  /** The chain value of the event at `revision`, hex: whoever uses the snapshot compares it with the log. */
  readonly chain: string;
  /** `recordedAt` of the event at `revision`. */
  readonly recordedAt: string;
  readonly bytes: Uint8Array;
}

/**
 * Where state snapshots are kept: a cache beside the read models, of no generation of theirs. Whatever is wrong with a snapshot costs
 * time, never truth (design: "Deciding", 1).
 */
export interface StateSnapshots {
  /** Whole, and as it was put; `unusable` where there is one that is not. `ReadModelsUnavailable` where the store is away. */
  newest(stream: string, stateVersion: number): Promise<StateSnapshot | 'unusable' | undefined>;
  /**
   * Takes the place of what the stream has at this state version, also of a later revision: that may be of another log. Durable when it
   * resolves; cut off before, what was there remains. Of several at once one remains, whole.
   */
  put(snapshot: StateSnapshot): Promise<void>;
  close(): Promise<void>;
}
