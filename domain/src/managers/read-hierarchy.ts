import {
  isAbsent,
  isObject,
  type Report,
  shownName,
  isBlank,
  isLongerThan,
  foldCase,
} from '@rollcall/employee-lists/text';
import { limits } from '@rollcall/contracts';

/** Unicode code points (docs/contract, "Managers"). */
export const maxNameLength = limits.managers.name;
/** Problems named in a refusal; others are counted. */
export const maxProblems = 20;
const maxDivisions = limits.managers.divisions;

export interface DivisionSent {
  readonly name: string;
  readonly parent: string | null;
}

/** Null where none was sent. Reports problems (docs/contract, "DepartmentHierarchy"). */
export function readHierarchy(value: unknown, report: Report): readonly DivisionSent[] | null {
  if (isAbsent(value)) return null;
  if (!isObject(value)) {
    report('DepartmentHierarchy must be an object');
    return null;
  }
  const members = Object.entries(value);
  if (members.length > maxDivisions)
    report(`DepartmentHierarchy must name at most ${maxDivisions} divisions`);
  const divisions = members
    .slice(0, maxDivisions)
    .map(([name, parent]) => readDivision(name, parent, report));
  reportCycles(reportRepeated(divisions, report), report);
  return divisions;
}

const pathOf = (name: string): string =>
  isBlank(name) ? `DepartmentHierarchy[${shownName(name)}]` : `DepartmentHierarchy.${shownName(name)}`;

function readDivision(name: string, parent: unknown, report: Report): DivisionSent {
  const problem = nameProblem(name);
  if (problem !== undefined) report(`${pathOf(name)}: the name ${problem}`);
  if (isAbsent(parent)) return { name, parent: null };
  const parentProblem = typeof parent === 'string' ? nameProblem(parent) : 'must be a string or null';
  if (parentProblem !== undefined) report(`${pathOf(name)} ${parentProblem}`);
  return { name, parent: typeof parent === 'string' ? parent : null };
}

function nameProblem(name: string): string | undefined {
  if (isBlank(name)) return 'must not be blank';
  return isLongerThan(name, maxNameLength) ? `must be at most ${maxNameLength} characters` : undefined;
}

/** Of those that are the same division, the first. */
function reportRepeated(divisions: readonly DivisionSent[], report: Report): Map<string, DivisionSent> {
  const firsts = new Map<string, DivisionSent>();
  for (const division of divisions) {
    const first = firsts.get(foldCase(division.name));
    if (first === undefined) firsts.set(foldCase(division.name), division);
    else report(`${pathOf(first.name)} and ${pathOf(division.name)} are the same division`);
  }
  return firsts;
}

/** Reports each cycle once, at its first division. Linear. */
function reportCycles(byName: ReadonlyMap<string, DivisionSent>, report: Report): void {
  const walkOf = new Map<string, string>();
  for (const start of byName.keys()) {
    const end = walkUp(start, byName, walkOf);
    if (end === undefined || walkOf.get(end) !== start) continue;
    report(`${pathOf(byName.get(end)?.name ?? '')} must not be its own parent, directly or through others`);
  }
}

/** Up from `start` to the first visited division; undefined where it ends at a root. */
function walkUp(
  start: string,
  byName: ReadonlyMap<string, DivisionSent>,
  walkOf: Map<string, string>,
): string | undefined {
  let at = start;
  for (;;) {
    if (walkOf.has(at)) return at;
    walkOf.set(at, start);
    const parent = byName.get(at)?.parent ?? null;
    if (parent === null) return undefined;
    at = foldCase(parent);
  }
}
