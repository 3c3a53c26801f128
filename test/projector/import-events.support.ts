import type { DomainEvent, DomainEventOf, ImportKind } from '@rollcall/contracts';

/** Events in the life of queued imports, as engine, worker and command line write them. */

export const queued = (
  operationId: string,
  change: Partial<DomainEventOf<'ImportQueued'>['data']> = {},
): DomainEvent => ({
  name: 'ImportQueued',
  data: {
    operationId,
    kind: 'employees',
    method: 'PUT /v1.0/company/7/employee',
    payload: { stream: `payload-${operationId}`, count: 1, bytes: 2, sha256: 'ab'.repeat(32) },
    elements: 2,
    ifMatch: null,
    preview: null,
    keepsRenames: false,
    retryOf: null,
    ...change,
  },
});

export const started = (operationId: string, attempt = 1): DomainEvent => ({
  name: 'ImportStarted',
  data: { operationId, attempt },
});

export const interrupted = (operationId: string, attempt = 1): DomainEvent => ({
  name: 'ImportInterrupted',
  data: { operationId, attempt, startId: operationId, cause: 'outage' },
});

export const progressed = (operationId: string, percent: number, attempt = 1): DomainEvent => ({
  name: 'ImportProgressed',
  data: { operationId, attempt, stage: 'reading', percent },
});

export const attemptFailed = (operationId: string, attempt = 1): DomainEvent => ({
  name: 'ImportAttemptFailed',
  data: { operationId, attempt, problem: 'the payload in payload-1 is not what was queued' },
});

export const failed = (
  operationId: string,
  change: Partial<DomainEventOf<'ImportFailed'>['data']> = {},
): DomainEvent => ({
  name: 'ImportFailed',
  data: {
    operationId,
    kind: 'employees',
    status: 400,
    reason: 'The import is refused',
    validationErrors: ['Company integration is not allowed'],
    ...change,
  },
});

export const cancelled = (operationId: string, kind: ImportKind = 'employees'): DomainEvent => ({
  name: 'ImportCancelled',
  data: { operationId, kind },
});

export const held = (operationId: string): DomainEvent => ({
  name: 'ImportHeld',
  data: {
    ...{ operationId, kind: 'employees', present: 20, limit: 10, outcome: 'ef'.repeat(16) },
    ...{ inserted: 1, updated: 2, removed: 13 },
  },
});

export const approved = (operationId: string): DomainEvent => ({
  name: 'ImportApproved',
  data: { operationId, kind: 'employees', outcome: 'ef'.repeat(16) },
});

export const rejected = (operationId: string): DomainEvent => ({
  name: 'ImportRejected',
  data: { operationId, kind: 'employees' },
});

const rolesSummary = (
  operationId: string,
  counts: Partial<Record<'created' | 'disabled' | 'locked', number>>,
) => ({
  operationId,
  bodySha256: 'cd'.repeat(32),
  digestVersion: 1,
  created: 0,
  disabled: 0,
  locked: 0,
  total: 2,
  lastUser: 2,
  lastDepartment: 1,
  ...counts,
});

/** A change of the manager roles by its counts; its lists are empty. */
export const rolesImported = (
  operationId: string,
  counts: Parameters<typeof rolesSummary>[1],
): DomainEvent => ({
  name: 'ManagerRolesImported',
  data: {
    ...rolesSummary(operationId, counts),
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
  },
});

export const rolesConfirmed = (operationId: string): DomainEvent => ({
  name: 'ManagerRolesConfirmed',
  data: rolesSummary(operationId, {}),
});

/** `EmployeeSetConfirmed`: nothing changed. */
export const setConfirmed = (operationId: string): DomainEvent => ({
  name: 'EmployeeSetConfirmed',
  data: {
    operationId,
    bodySha256: 'cd'.repeat(32),
    digestVersion: 1,
    inserted: 0,
    updated: 0,
    removed: 0,
    total: 5,
    lastNumber: 9,
    setDigest: 'ef'.repeat(16),
  },
});
