import { Type, type Static } from 'typebox';

/** ISO 8601 UTC. */
const Moment = Type.String({ minLength: 1, maxLength: 40 });
/** A person's, or null where none was given. */
const Reason = Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()]);
/** `{uuid}@{domain}`, without angle brackets. */
const MessageId = Type.String({ minLength: 1, maxLength: 320 });
/** What a mail server or the connection to it said, on one line and without e-mail addresses. */
const ServerText = Type.String({ maxLength: 500 });
/** A mail server's (`451 4.7.1`), or the connection's (`ETIMEDOUT`). */
const Code = Type.String({ minLength: 1, maxLength: 40 });

/*
 * On `invitation-{companyId}-{number}`. In each event but `InvitationRequested`, `dueAt` is the moment under which the due
 * index held the invitation until then, or held it last: whoever keeps that index can take the entry out by the event alone.
 */

/** A person wants the invitation sent, or sent again: what happened to it before counts no more. */
export const InvitationRequested = Type.Object({
  /** When it is due from now on. */
  dueAt: Moment,
  /** Under which moment the due index held it until then; null where it did not. */
  replaces: Type.Union([Moment, Type.Null()]),
  reason: Reason,
});
export type InvitationRequested = Static<typeof InvitationRequested>;

/** A worker claims the invitation and sends it next. */
export const InvitationSending = Type.Object({
  dueAt: Moment,
  /** Only then may another claim follow. */
  until: Moment,
  /** 1 for the first of the round. A request begins a new round. */
  attempt: Type.Integer({ minimum: 1 }),
  /** The same for all attempts of a round. */
  messageId: MessageId,
  /** Of the round's first attempt. */
  startedAt: Moment,
});
export type InvitationSending = Static<typeof InvitationSending>;

/** The mail server accepted the mail. Recorded also after a later claim, and wins. */
export const InvitationSent = Type.Object({
  dueAt: Moment,
  messageId: MessageId,
  response: ServerText,
  sentAt: Moment,
});
export type InvitationSent = Static<typeof InvitationSent>;

/** The mail could not be sent now. */
export const InvitationDeferred = Type.Object({
  dueAt: Moment,
  nextAttemptAt: Moment,
  code: Code,
  problem: ServerText,
});
export type InvitationDeferred = Static<typeof InvitationDeferred>;

/** The mail cannot be sent, or was given up after 48 hours. */
export const InvitationFailed = Type.Object({ dueAt: Moment, code: Code, problem: ServerText });
export type InvitationFailed = Static<typeof InvitationFailed>;

/** By a person; by a worker where the employee has left after something had happened to the invitation. */
export const InvitationCancelled = Type.Object({ dueAt: Moment, reason: Reason });
export type InvitationCancelled = Static<typeof InvitationCancelled>;

/** On `company-{companyId}`: nothing is sent until `InvitationsReleased`; what is due stays due. */
export const InvitationsHeld = Type.Object({ reason: Reason });
export type InvitationsHeld = Static<typeof InvitationsHeld>;

/** On `company-{companyId}`. */
export const InvitationsReleased = Type.Object({ reason: Reason });
export type InvitationsReleased = Static<typeof InvitationsReleased>;

/** On `company-{companyId}`: the mail of one language; the latest of each language stands. */
export const InvitationTemplateSet = Type.Object({
  /** The id of one of the company's languages. */
  language: Type.Integer({ minimum: 1 }),
  /** Null: the installation's. */
  sender: Type.Union([
    Type.Object({ name: Type.String(), address: Type.String({ minLength: 1 }) }),
    Type.Null(),
  ]),
  subject: Type.String({ minLength: 1 }),
  text: Type.String({ minLength: 1 }),
  html: Type.String({ minLength: 1 }),
});
export type InvitationTemplateSet = Static<typeof InvitationTemplateSet>;
