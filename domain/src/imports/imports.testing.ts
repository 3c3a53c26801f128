import type { EmployeeSetSummary, ImportKind, ImportQueued, ManagerRolesSummary } from '@rollcall/contracts';
import { defaultSettings } from '../companies/defaults.js';
import { emptySet } from '../employees/set-state.js';
import {
  afterEmployeeSet,
  afterGivenUp,
  afterManagerRoles,
  afterQueued,
  type CompanyState,
  type EventPlace,
  initialCompanyState,
} from './company-state.js';

/** An event of the company's stream as these specs name it; the event's place in the history is its revision. */
export interface Told {
  readonly what:
    'queued' | 'replaced' | 'confirmed' | 'roles imported' | 'roles confirmed' | 'failed' | 'cancelled';
  /** A small number for the operation. */
  readonly import: number;
  readonly kind?: ImportKind;
  readonly userId?: number | null;
  readonly key?: string;
  /** ISO 8601 UTC. */
  readonly at?: string;
}

export const operationId = (number: number): string =>
  `019aa2f0-5c00-7000-8000-${String(number).padStart(12, '0')}`;

/** The body of the operation. */
export const sha256 = (number: number): string => String(number).padStart(64, '0');

const place = (told: Told, revision: number): EventPlace => ({
  revision,
  metadata: {
    companyId: 7,
    operationId: operationId(told.import),
    userId: told.userId === undefined ? 3 : told.userId,
    username: 'HR system',
    causationId: null,
    receivedAt: told.at ?? '2026-11-21T08:00:00.000Z',
    recordedAt: told.at ?? '2026-11-21T08:00:00.000Z',
    chain: 'c'.repeat(64),
    ...(told.key !== undefined && {
      idempotency: { keyHash: told.key, bodySha256: sha256(told.import) },
    }),
  },
});

const summary = (told: Told): EmployeeSetSummary => ({
  operationId: operationId(told.import),
  bodySha256: sha256(told.import),
  digestVersion: 1,
  inserted: told.what === 'replaced' ? 3 : 0,
  updated: told.what === 'replaced' ? 2 : 0,
  removed: told.what === 'replaced' ? 1 : 0,
  total: 0,
  lastNumber: 0,
  setDigest: '0'.repeat(32),
});

const rolesSummary = (told: Told): ManagerRolesSummary => ({
  operationId: operationId(told.import),
  bodySha256: sha256(told.import),
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
export const queued = (told: Told): ImportQueued => ({
  operationId: operationId(told.import),
  kind: told.kind ?? 'employees',
  method: 'PUT',
  payload: {
    stream: `payload-${operationId(told.import)}`,
    count: 1,
    bytes: 2,
    sha256: sha256(told.import),
  },
  elements: 0,
  ifMatch: null,
  retryOf: null,
});

const steps: Record<Told['what'], (state: CompanyState, told: Told, at: EventPlace) => CompanyState> = {
  queued: (state, told, at) => afterQueued(state, queued(told), at),
  replaced: (state, told, at) => afterEmployeeSet(state, summary(told), emptySet(), at),
  confirmed: (state, told, at) => afterEmployeeSet(state, summary(told), state.employees, at),
  'roles imported': (state, told, at) =>
    afterManagerRoles(
      state,
      { name: 'ManagerRolesImported', data: { ...rolesSummary(told), ...nothingElse } },
      at,
    ),
  'roles confirmed': (state, told, at) =>
    afterManagerRoles(state, { name: 'ManagerRolesConfirmed', data: rolesSummary(told) }, at),
  failed: (state, told) => afterGivenUp(state, operationId(told.import)),
  cancelled: (state, told) => afterGivenUp(state, operationId(told.import)),
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
export const given = (state: CompanyState, ...history: readonly Told[]): CompanyState =>
  history.reduce((before, told, at) => steps[told.what](before, told, place(told, at + 1)), state);
