import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import * as anchors from './anchor-events.js';
import * as access from './access-events.js';
import * as users from './api-user-events.js';
import * as company from './company-events.js';
import * as imports from './import-events.js';
import * as installation from './installation-events.js';
import * as invitations from './invitation-events.js';
import * as managers from './manager-events.js';
import * as operators from './operator-events.js';
import * as surveys from './survey-events.js';
import * as webhooks from './webhook-events.js';

/** The stored type is `{name}`, from version 2 on `{name}.v{n}`; `upcast.ts` upcasts older versions. */
export const catalogue = {
  InstallationCreated: { version: 1, schema: installation.InstallationCreated },
  CatalogueExtended: { version: 1, schema: installation.CatalogueExtended },
  CompanyConfigured: { version: 2, schema: company.CompanyConfigured },
  EmployeeSetReplaced: { version: 2, schema: company.EmployeeSetReplaced },
  EmployeeSetConfirmed: { version: 1, schema: company.EmployeeSetConfirmed },
  ImportRefused: { version: 1, schema: company.ImportRefused },
  ImportQueued: { version: 2, schema: imports.ImportQueued },
  ImportFailed: { version: 1, schema: imports.ImportFailed },
  ImportCancelled: { version: 1, schema: imports.ImportCancelled },
  ImportHeld: { version: 1, schema: imports.ImportHeld },
  ImportApproved: { version: 1, schema: imports.ImportApproved },
  ImportRejected: { version: 1, schema: imports.ImportRejected },
  ImportStarted: { version: 1, schema: imports.ImportStarted },
  ImportInterrupted: { version: 1, schema: imports.ImportInterrupted },
  ImportProgressed: { version: 1, schema: imports.ImportProgressed },
  ImportAttemptFailed: { version: 1, schema: imports.ImportAttemptFailed },
  ManagerRolesImported: { version: 1, schema: managers.ManagerRolesImported },
  ManagerRolesConfirmed: { version: 1, schema: managers.ManagerRolesConfirmed },
  IdempotencyKeyClaimed: { version: 1, schema: imports.IdempotencyKeyClaimed },
  IdempotencyKeySettled: { version: 1, schema: imports.IdempotencyKeySettled },
  InvitationRequested: { version: 1, schema: invitations.InvitationRequested },
  InvitationSending: { version: 1, schema: invitations.InvitationSending },
  InvitationSent: { version: 1, schema: invitations.InvitationSent },
  InvitationDeferred: { version: 1, schema: invitations.InvitationDeferred },
  InvitationFailed: { version: 1, schema: invitations.InvitationFailed },
  InvitationCancelled: { version: 1, schema: invitations.InvitationCancelled },
  InvitationsHeld: { version: 1, schema: invitations.InvitationsHeld },
  InvitationsReleased: { version: 1, schema: invitations.InvitationsReleased },
  InvitationTemplateSet: { version: 1, schema: invitations.InvitationTemplateSet },
  SurveyIdsReserved: { version: 1, schema: surveys.SurveyIdsReserved },
  SurveyCreated: { version: 1, schema: surveys.SurveyCreated },
  SurveyUpdated: { version: 1, schema: surveys.SurveyUpdated },
  SurveyStateChanged: { version: 1, schema: surveys.SurveyStateChanged },
  ApiUserCreated: { version: 2, schema: users.ApiUserCreated },
  ApiUserRevoked: { version: 1, schema: users.ApiUserRevoked },
  ApiTokenRevoked: { version: 1, schema: users.ApiTokenRevoked },
  ApiTokenIssued: { version: 1, schema: users.ApiTokenIssued },
  LogAnchored: { version: 1, schema: anchors.LogAnchored },
  PersonalDataRead: { version: 1, schema: access.PersonalDataRead },
  AuthenticationsRefused: { version: 1, schema: access.AuthenticationsRefused },
  WebhookAdded: { version: 1, schema: webhooks.WebhookAdded },
  WebhookRemoved: { version: 1, schema: webhooks.WebhookRemoved },
  WebhookSecretRotated: { version: 1, schema: webhooks.WebhookSecretRotated },
  WebhookSending: { version: 1, schema: webhooks.WebhookSending },
  WebhookDelivered: { version: 1, schema: webhooks.WebhookDelivered },
  WebhookDeferred: { version: 1, schema: webhooks.WebhookDeferred },
  WebhookDisabled: { version: 1, schema: webhooks.WebhookDisabled },
  WebhookEnabled: { version: 1, schema: webhooks.WebhookEnabled },
  OperatorSignedIn: { version: 1, schema: operators.OperatorSignedIn },
  OperatorSignedOut: { version: 1, schema: operators.OperatorSignedOut },
} as const satisfies Record<string, { version: number; schema: TSchema }>;

export type EventName = keyof typeof catalogue;
export type EventData<N extends EventName> = Static<(typeof catalogue)[N]['schema']>;

export type DomainEvent = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];
export type DomainEventOf<N extends EventName> = Extract<DomainEvent, { name: N }>;

export type CheckResult<T> = { ok: true; data: T } | { ok: false; problem: string };

type Checker = {
  Check(value: unknown): boolean;
  Errors(value: unknown): { instancePath: string; message: string }[];
};
const checkers = new Map<string, Checker>();

export const isEventName = (type: string): type is EventName => Object.hasOwn(catalogue, type);

/** The problem names the path and the rule, never a value: values can be personal. */
export function checkEventData<N extends EventName>(name: N, data: unknown): CheckResult<EventData<N>> {
  let checker = checkers.get(name);
  if (!checker) {
    checker = Compile(catalogue[name].schema);
    checkers.set(name, checker);
  }
  if (checker.Check(data)) return { ok: true, data: data as EventData<N> };
  const first = checker.Errors(data)[0];
  return {
    ok: false,
    problem: `${name}${first?.instancePath ?? ''} ${first?.message ?? 'has another shape'}`,
  };
}
