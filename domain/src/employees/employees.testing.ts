import { defaultSettings } from '../companies/decide.js';
import { initialCompanyState } from '../imports/company-state.js';
import {
  decideEmployeeSet,
  type EmployeeSetDecision,
  type EmployeeSetState,
  rejectionTexts,
  type ReplaceEmployeeSet,
} from './decide.js';
import { digester, readEmployeeList } from '@rollcall/employee-lists/testing';

/** A company with integration enabled. */
export const configured = (changes: Partial<ReturnType<typeof defaultSettings>> = {}): EmployeeSetState => ({
  ...initialCompanyState(),
  settings: {
    status: 'configured',
    companyId: 7,
    settings: { ...defaultSettings(7), integrationEnabled: true, ...changes },
  },
});

let operations = 0;
/** The decision about a body. */
export function when(
  state: EmployeeSetState,
  body: string | Uint8Array,
  more: Pick<ReplaceEmployeeSet, 'knownEmails' | 'decidedAt'> = {},
): EmployeeSetDecision {
  const bytes = Buffer.from(body);
  return decideEmployeeSet(
    {
      companyId: 7,
      operationId: `019aa2f0-5c00-7000-8000-${String(++operations).padStart(12, '0')}`,
      bodySha256: 'a'.repeat(60) + String(operations).padStart(4, '0').slice(-4),
      receivedAt: Date.parse('2026-11-20T09:00:00Z'),
      digester,
      ...more,
      reading: readEmployeeList(bytes, digester),
    },
    state,
  );
}

/** The state after a decision that was no refusal. */
export const after = (state: EmployeeSetState, decision: EmployeeSetDecision): EmployeeSetState => {
  if (decision.kind === 'refused') throw new Error(rejectionTexts(decision.rejection).join('\n'));
  if (decision.kind === 'needs-emails') throw new Error('addresses must be looked up');
  return {
    ...state,
    employees: decision.kind === 'replaced' ? decision.after : state.employees,
    lastBody: { sha256: decision.summary.bodySha256, digestVersion: 1 },
  };
};

/** The state after these bodies, one after the other. */
export const given = (state: EmployeeSetState, ...bodies: readonly (readonly object[])[]): EmployeeSetState =>
  bodies.reduce<EmployeeSetState>(
    (current, body) => after(current, when(current, JSON.stringify(body))),
    state,
  );

/** Inserted, updated, removed; or the texts of a refusal. */
export const counts = (decision: EmployeeSetDecision): unknown =>
  decision.kind === 'needs-emails'
    ? 'needs-emails'
    : decision.kind === 'refused'
      ? rejectionTexts(decision.rejection)
      : [decision.summary.inserted, decision.summary.updated, decision.summary.removed];
