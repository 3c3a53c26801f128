import { isAbsent, isObject, type Report, shownName } from '../json/json-shapes.js';
import { isBlank, isLongerThan } from '../text/code-points.js';
import { foldCase } from '../text/fold-case.js';
import { maxDivisions, maxNameLength } from './limits.js';

/** A member of DepartmentHierarchy. */
export interface DivisionSent {
  readonly name: string;
  readonly parent: string | null;
}

/** Reads the whole hierarchy; null where there is none to read. Problems are reported (docs/contract, "DepartmentHierarchy"). */
export function readHierarchy(value: unknown, report: Report): readonly DivisionSent[] | null {
  if (isAbsent(value)) return null;
  if (!isObject(value)) {
    report('DepartmentHierarchy must be an object');
    return null;
  }
  const members = Object.entries(value);
  if (members.length > maxDivisions) {
    report(`DepartmentHierarchy must name at most ${maxDivisions} divisions`);
    return null;
  }
  const divisions: DivisionSent[] = [];
  for (const [name, parent] of members) {
    const division = readDivision(name, parent, report);
    if (division !== undefined) divisions.push(division);
  }
  reportRepeated(divisions, report);
  reportCycles(divisions, report);
  return divisions;
}

const placeOf = (name: string): string =>
  isBlank(name) ? `DepartmentHierarchy[${shownName(name)}]` : `DepartmentHierarchy.${shownName(name)}`;

function readDivision(name: string, parent: unknown, report: Report): DivisionSent | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) report(`${placeOf(name)}: the name ${problem}`);
  if (isAbsent(parent)) return { name, parent: null };
  const parentProblem = typeof parent === 'string' ? nameProblem(parent) : 'must be a string or null';
  if (parentProblem === undefined && typeof parent === 'string') return { name, parent };
  report(`${placeOf(name)} ${parentProblem ?? ''}`);
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (isBlank(name)) return 'must not be blank';
  return isLongerThan(name, maxNameLength) ? `must be at most ${maxNameLength} characters` : undefined;
}

/** Two members that name one division. */
function reportRepeated(divisions: readonly DivisionSent[], report: Report): void {
  const seen = new Map<string, string>();
  for (const { name } of divisions) {
    const first = seen.get(foldCase(name));
    if (first === undefined) seen.set(foldCase(name), name);
    else report(`${placeOf(first)} and ${placeOf(name)} are the same division`);
  }
}

/** Every cycle once, at the division of it that stands first. Each division is looked at twice at most. */
function reportCycles(divisions: readonly DivisionSent[], report: Report): void {
  const byName = new Map<string, DivisionSent>();
  for (const division of divisions) {
    const key = foldCase(division.name);
    if (!byName.has(key)) byName.set(key, division);
  }
  const walkOf = new Map<string, string>();
  for (const start of byName.keys()) {
    const end = walkUp(start, byName, walkOf);
    if (end === undefined || walkOf.get(end) !== start) continue;
    report(`${placeOf(byName.get(end)?.name ?? '')} must not be its own parent, directly or through others`);
  }
}

/** Up from `start` to the first division that was met before; undefined where the way ends at one without a parent. */
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
