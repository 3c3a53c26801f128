import { Type, type Static } from 'typebox';
import { Moment } from './shapes.js';

const Reason = Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()]);
/** `{uuid}@{domain}`, without angle brackets. */
const MessageId = Type.String({ minLength: 1, maxLength: 320 });
/** One line of a mail server or connection, without e-mail addresses. */
const ServerText = Type.String({ maxLength: 500 });
const Code = Type.String({ minLength: 1, maxLength: 40 });

/* On `invitation-{companyId}-{number}`. `dueAt` (in `InvitationRequested`: `replaces`) is the due-index entry to delete. */

/** An operator wants the invitation sent (again); its history no longer counts. */
export const InvitationRequested = Type.Object({
  dueAt: Moment,
  replaces: Type.Union([Moment, Type.Null()]),
  reason: Reason,
});
export type InvitationRequested = Static<typeof InvitationRequested>;

export const InvitationSending = Type.Object({
  dueAt: Moment,
  /** Another claim may follow only then. */
  until: Moment,
  attempt: Type.Integer({ minimum: 1 }),
  /** The same for all attempts of a round; a request begins a new round. */
  messageId: MessageId,
  startedAt: Moment,
});
export type InvitationSending = Static<typeof InvitationSending>;

/** The mail server accepted the mail. Wins even when recorded after a later claim. */
export const InvitationSent = Type.Object({
  dueAt: Moment,
  messageId: MessageId,
  response: ServerText,
  sentAt: Moment,
});
export type InvitationSent = Static<typeof InvitationSent>;

export const InvitationDeferred = Type.Object({
  dueAt: Moment,
  nextAttemptAt: Moment,
  code: Code,
  problem: ServerText,
});

/** The mail cannot be sent, or 48 hours and 24 attempts have passed. */
export const InvitationFailed = Type.Object({ dueAt: Moment, code: Code, problem: ServerText });

/** By an operator; by a worker where the employee has left. */
export const InvitationCancelled = Type.Object({ dueAt: Moment, reason: Reason });
export type InvitationCancelled = Static<typeof InvitationCancelled>;

/** On `company-{companyId}`: nothing is sent until `InvitationsReleased`; due invitations stay due. */
export const InvitationsHeld = Type.Object({ reason: Reason });

export const InvitationsReleased = Type.Object({ reason: Reason });

/** On `company-{companyId}`: the latest template of each language is in force. */
export const InvitationTemplateSet = Type.Object({
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
