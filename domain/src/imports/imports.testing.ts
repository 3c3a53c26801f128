import type {
  EmployeeSetSummary,
  ImportHeld,
  ImportKind,
  ImportQueued,
  ManagerRolesSummary,
} from '@rollcall/contracts';
import { defaultSettings } from '../companies/decide.js';
import { emptySet } from '@rollcall/employee-lists/set';
import {
  afterApproved,
  afterEmployeeSet,
  afterGivenUp,
  afterHeld,
  afterManagerRoles,
  afterQueued,
  type CompanyState,
  type EventPosition,
  initialCompanyState,
} from './company-state.js';

/** An event of the company's stream as these specs name it; the event's positionOf in the history is its revision. */
export interface GivenEvent {
  readonly what:
    | 'queued'
    | 'replaced'
    | 'confirmed'
    | 'roles imported'
    | 'roles confirmed'
    | 'failed'
    | 'cancelled'
    | 'held'
    | 'approved'
    | 'rejected';
  /** A small number for the operation. */
  readonly import: number;
  readonly kind?: ImportKind;
  readonly userId?: number | null;
  readonly key?: string;
  /** ISO 8601 UTC. */
  readonly at?: string;
  /** Of a held import. */
  readonly outcome?: string;
}

export const operationId = (number: number): string =>
  `019aa2f0-5c00-7000-8000-${String(number).padStart(12, '0')}`;

/** The body of the operation. */
export const sha256 = (number: number): string => String(number).padStart(64, '0');

const positionOf = (happened: GivenEvent, revision: number): EventPosition => ({
  revision,
  metadata: {
    companyId: 7,
    operationId: operationId(happened.import),
    userId: happened.userId === undefined ? 3 : happened.userId,
    username: 'HR system',
    causationId: null,
    receivedAt: happened.at ?? '2026-11-21T08:00:00.000Z',
    recordedAt: happened.at ?? '2026-11-21T08:00:00.000Z',
    chain: 'c'.repeat(64),
    ...(happened.key !== undefined && {
      idempotency: { keyHash: happened.key, bodySha256: sha256(happened.import) },
    }),
  },
});

const summary = (happened: GivenEvent): EmployeeSetSummary => ({
  operationId: operationId(happened.import),
  bodySha256: sha256(happened.import),
  digestVersion: 1,
  inserted: happened.what === 'replaced' ? 3 : 0,
  updated: happened.what === 'replaced' ? 2 : 0,
  removed: happened.what === 'replaced' ? 1 : 0,
  total: 0,
  lastNumber: 0,
  setDigest: '0'.repeat(32),
});

const rolesSummary = (happened: GivenEvent): ManagerRolesSummary => ({
  operationId: operationId(happened.import),
  bodySha256: sha256(happened.import),
  digestVersion: 1,
  created: 0,
  disabled: 4,
  locked: 5,
  total: 0,
  lastUser: 0,
  lastDepartment: 0,
});

const nothingElse = {
  usersCreated: [],
  usersRenamed: [],
  usersLocked: [],
  usersUnlocked: [],
  departmentsCreated: [],
  rolesEnabled: [],
  rolesChanged: [],
  rolesDisabled: [],
  hierarchy: [],
  parentsRemoved: [],
};

/** What is queued. */
export const queued = (happened: GivenEvent): ImportQueued => ({
  operationId: operationId(happened.import),
  kind: happened.kind ?? 'employees',
  method: 'PUT',
  payload: {
    stream: `payload-${operationId(happened.import)}`,
    count: 1,
    bytes: 2,
    sha256: sha256(happened.import),
  },
  elements: 0,
  ifMatch: null,
  preview: null,
  keepsRenames: false,
  retryOf: null,
});

/** It would remove two of four. */
export const held = (happened: GivenEvent): ImportHeld => ({
  operationId: operationId(happened.import),
  kind: 'employees',
  inserted: 0,
  updated: 0,
  removed: 2,
  present: 4,
  limit: 25,
  outcome: happened.outcome ?? '0-0-2-ab',
});

const steps: Record<
  GivenEvent['what'],
  (state: CompanyState, happened: GivenEvent, at: EventPosition) => CompanyState
> = {
  queued: (state, happened, at) => afterQueued(state, queued(happened), at),
  replaced: (state, happened, at) => afterEmployeeSet(state, summary(happened), emptySet(), at),
  confirmed: (state, happened, at) => afterEmployeeSet(state, summary(happened), state.employees, at),
  'roles imported': (state, happened, at) =>
    afterManagerRoles(
      state,
      { name: 'ManagerRolesImported', data: { ...rolesSummary(happened), ...nothingElse } },
      at,
    ),
  'roles confirmed': (state, happened, at) =>
    afterManagerRoles(state, { name: 'ManagerRolesConfirmed', data: rolesSummary(happened) }, at),
  failed: (state, happened) => afterGivenUp(state, operationId(happened.import)),
  cancelled: (state, happened) => afterGivenUp(state, operationId(happened.import)),
  held: (state, happened, at) => afterHeld(state, held(happened), at),
  approved: (state, happened) => afterApproved(state, operationId(happened.import)),
  rejected: (state, happened) => afterGivenUp(state, operationId(happened.import)),
};

/** A company with integration enabled, its settings at revision 0. */
export const company = (changes: Partial<ReturnType<typeof defaultSettings>> = {}): CompanyState => ({
  ...initialCompanyState(),
  settings: {
    status: 'configured',
    companyId: 7,
    settings: { ...defaultSettings(7), integrationEnabled: true, ...changes },
  },
});

/** The state after these events, which begin at revision 1. */
export const given = (state: CompanyState, ...history: readonly GivenEvent[]): CompanyState =>
  history.reduce(
    (before, happened, at) => steps[happened.what](before, happened, positionOf(happened, at + 1)),
    state,
  );
