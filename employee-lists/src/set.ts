/** A company's employee set: what a list changes, the event's text, and the rows of an event. */

export * from './set/set-change.js';
export { type InvitedSummary, invitedSummary, replacementSource } from './set/set-event.js';
export * from './set/set-decoder.js';
export * from './set/set-state.js';
