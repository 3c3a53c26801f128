const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/**
 * Every size and limit that changes the way of an import's body. Those that a caller sees are rules of the
 * domain (`imports/accept.ts`; docs/contract, "When queued"). A constant elsewhere is private to one algorithm.
 */
export const importLimits = {
  /** Bytes of a body that is decided on the event loop: reading less takes less time than the way to a thread and back. */
  smallBody: 32 * kibibyte,
  /** Calls of one company in one append: the last of them waits for the first. */
  callsInAppend: 32,
  /** What a decision on the event loop may compare with. 500 employees who all leave take 2 ms, 6 ms before the code is warm. */
  smallState: {
    employees: 500,
    managerBytes: 64 * kibibyte,
    /** Encoded bytes that a thread may send to the event loop: it decodes this much in a millisecond or two. */
    encodedBytes: 512 * kibibyte,
    /** Bytes of all such states of a process: any 9,700 companies of 50. */
    cacheBytes: 64 * mebibyte,
  },
  /** What the event loop may read of a company's stream before it leaves the call to a thread: some milliseconds' work. */
  foldedOnLoop: { events: 64, bytes: 64 * kibibyte },
  /** Companies of which the event loop remembers that their states are for a thread. */
  largeStates: 10_000,

  /** Bytes of a body that the api holds before a thread takes it: below that, the hand-over costs more than it saves. */
  heldBody: 256 * kibibyte,
  /** The same of a body of unknown length: its thread is chosen by what has come. */
  heldUnknownBody: 8 * mebibyte,
  /** Bodies below these bytes share a thread, and are decided on this many at a time: memory grows with both. */
  lanes: {
    small: { below: 256 * kibibyte, atOnce: 32 },
    middling: { below: 8 * mebibyte, atOnce: 4 },
    large: { below: Infinity, atOnce: 1 },
  },
  /** Bytes that a thread has not taken yet from which on a connection is not read: memory for each upload. */
  untakenBytes: 1 * mebibyte,
  /** Bodies that a thread reads while they arrive; each reader has tables as large as its list. Others are read once whole. */
  readersPerThread: 4,
  /** Payloads that a thread writes while their bodies arrive; each has up to four chunks in memory. */
  payloadWritersPerThread: 4,
  /** Tasks of a thread: more than the budget of bodies lets come together. */
  tasksPerThread: 10_000,
  /** Milliseconds that a call waits for its turn, and for a thread that answers, before it is refused as busy. */
  callWaitMs: 30_000,
  /** Bytes of the company states of a thread. */
  threadStateCacheBytes: 64 * mebibyte,

  /** Bytes of a body that is decided on a state in memory: where that is stale, the decision is made twice. */
  decidedFromMemory: 256 * kibibyte,
  /** An import is queued after it lost this many appends, where these bytes were read in vain: otherwise it might never end. */
  queuedAfterLosses: { appends: 2, bytes: 1 * mebibyte },

  /** Bytes of a queued body above which acceptance keeps a proof, and the run a file: below that, reading again is cheaper. */
  provenBody: 256 * kibibyte,
  /** Bytes of a queued body that runs in a thread of its own: it would hold up the small ones beside it. */
  ownThreadBody: 1 * mebibyte,
  /** Small runs in one thread: while one waits for the log, another is read. */
  smallRunsPerThread: 2,
  /** Bytes of a queued body whose run reports how far it is. */
  progressBody: 4 * mebibyte,
  /** Failed attempts after which an import is abandoned (design: "Imports in order"). */
  attempts: 3,
  /** Starts that ended with their process from which on an import runs alone, so that it takes nothing else with it. */
  suspectStarts: 2,
  /** Starts that ended with their process after which an import is abandoned. */
  lostStarts: 10,
} as const;
