/** A company's employee set: what a list changes, the event's text, and the rows of an event. */

export * from './set/set-change.js';
export { type InvitedSummary, invitedSummary, replacementSource } from './set/set-event.js';
export {
  SetEventParser,
  type FullElement,
  MisshapenSet,
  readFullElement,
  readSetElement,
  readSetSummary,
} from './set/set-decoder.js';
export {
  type EmployeeSet,
  EmployeeSetBuilder,
  emptySet,
  type EntryDigests,
  hasSoundDigest,
  indexOfNumber,
  SetMismatch,
} from './set/set-state.js';
