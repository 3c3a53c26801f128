import type { CompanySettings } from '@rollcall/contracts';
import { isAbsent, isArray, type Report } from '@rollcall/employee-lists/text';
import { Dimensions } from './dimensions.js';
import { ProblemList } from './problems.js';
import { type DivisionSent, readHierarchy } from './read-hierarchy.js';
import type { SentManagerImport } from './read-import.js';
import { readRole, type RoleSent } from './read-role.js';

export interface ManagerImport {
  readonly roles: readonly RoleSent[];
  /** null: the hierarchy stays. */
  readonly hierarchy: readonly DivisionSent[] | null;
}

export type ManagerImportValidation =
  | { readonly status: 'valid'; readonly import: ManagerImport }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** Checks what does not depend on the roles in force (docs/contract, "Managers"). Names path and rule, no value. Linear. */
export function validate(sent: SentManagerImport, settings: CompanySettings): ManagerImportValidation {
  const problems = new ProblemList();
  const { ManagerRoles, DepartmentHierarchy } = sent.members;
  const roles = readRoles(ManagerRoles, new Dimensions(settings), problems.report);
  const hierarchy = settings.hierarchyEnabled ? readHierarchy(DepartmentHierarchy, problems.report) : null;
  if (hierarchy !== null && hierarchy.length > 0 && settings.divisionDimensions.length === 0)
    problems.report('DepartmentHierarchy needs a division dimension; the company has none configured');
  return problems.isEmpty
    ? { status: 'valid', import: { roles, hierarchy } }
    : { status: 'invalid', problems: problems.texts() };
}

function readRoles(value: unknown, dimensions: Dimensions, report: Report): readonly RoleSent[] {
  if (!isArray(value)) {
    report(isAbsent(value) ? 'ManagerRoles is required' : 'ManagerRoles must be an array');
    return [];
  }
  const roles: RoleSent[] = [];
  value.forEach((entry, at) => {
    const role = readRole(entry, `ManagerRoles[${at}]`, dimensions, report);
    if (role !== undefined) roles.push(role);
  });
  return roles;
}
