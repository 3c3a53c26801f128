import type { EventData, EventName } from '../events/catalogue.js';
import type { Invitation } from '../http/invitations.js';
import type { InvitationsAreDue } from '../messages/work.js';

const messageId = 'b3f0a1de-7a52-5b0c-9d6e-2f6f4a3f9d10@rollcall.example.com';

export const invitationEventExamples: {
  readonly [N in Extract<EventName, `Invitation${string}`>]: EventData<N>;
} = {
  InvitationRequested: {
    dueAt: '2026-11-23T09:30:00.000Z',
    replaces: null,
    reason: 'The mail went into the spam folder',
  },
  InvitationSending: {
    dueAt: '2026-11-23T07:00:00Z',
    until: '2026-11-23T07:10:02.100Z',
    attempt: 1,
    messageId,
    startedAt: '2026-11-23T07:00:02.100Z',
  },
  InvitationSent: {
    dueAt: '2026-11-23T07:10:02.100Z',
    messageId,
    response: '250 2.0.0 Ok: queued as 4F1B2C',
    sentAt: '2026-11-23T07:00:02.400Z',
  },
  InvitationDeferred: {
    dueAt: '2026-11-23T07:10:02.100Z',
    nextAttemptAt: '2026-11-23T07:01:02.400Z',
    code: '451 4.7.1',
    problem: 'Greylisted, try again later',
  },
  InvitationFailed: {
    dueAt: '2026-11-23T07:10:02.100Z',
    code: '550 5.1.1',
    problem: 'No such mailbox',
  },
  InvitationCancelled: { dueAt: '2026-11-23T07:00:00Z', reason: 'Invited by hand' },
  InvitationsHeld: { reason: 'The survey is not ready' },
  InvitationsReleased: { reason: null },
  InvitationTemplateSet: {
    language: 1045,
    sender: { name: 'People & Culture', address: 'people@example.com' },
    subject: 'Welcome to {{CompanyName}}',
    text: 'Dear {{FirstName}},\n\nopen {{Link}} to begin.\n',
    html: '<p>Dear {{FirstName}},</p><p><a href="{{Link}}">Begin</a></p>',
  },
};

export const invitationsAreDueExample: InvitationsAreDue = {
  type: 'invitations-due',
  companyId: 7,
  numbers: [4711, 4712],
};

export const invitationExample: Invitation = {
  Number: 1,
  EmployeeID: 'A-17',
  State: 'Sent',
  DueAt: '2026-11-23T07:00:00Z',
  Attempts: 1,
  LastError: null,
  SentAt: '2026-11-23T07:00:02.400Z',
  MessageId: messageId,
};

export const deferredInvitationExample: Invitation = {
  ...invitationExample,
  Number: 2,
  EmployeeID: 'A-18',
  State: 'Deferred',
  DueAt: '2026-11-23T07:01:02.400Z',
  LastError: { Code: '451 4.7.1', Problem: 'Greylisted, try again later' },
  SentAt: null,
};
