import type { CompanySettings, DepartmentEntry } from '@rollcall/contracts';
import type { Dimension } from './dimensions.js';
import { departmentKey } from './keys.js';
import type { DivisionSent } from './read-hierarchy.js';
import type { ManagerRolesState } from './state.js';

/** Finds or creates departments (interface.md, "Import manager roles", rule 5). */
export class DepartmentPlan {
  readonly #known: ManagerRolesState['departments'];
  readonly #new = new Map<string, DepartmentEntry>();
  #last: number;

  constructor(state: ManagerRolesState) {
    this.#known = state.departments;
    this.#last = state.lastDepartment;
  }

  get created(): readonly DepartmentEntry[] {
    return [...this.#new.values()];
  }

  get last(): number {
    return this.#last;
  }

  findOrCreate({ type, name: dimension }: Dimension, name: string): number {
    return this.#find(dimension, name) ?? this.#create({ type, dimension, name });
  }

  /** Searches the division dimensions in configured order; creates in the first. */
  findOrCreateDivision(name: string, { divisionDimensions }: CompanySettings): number {
    for (const dimension of divisionDimensions) {
      const number = this.#find(dimension, name);
      if (number !== undefined) return number;
    }
    const [dimension] = divisionDimensions;
    if (dimension === undefined) throw new TypeError('a hierarchy without a division dimension is not valid');
    return this.#create({ type: 'division', dimension, name });
  }

  #find(dimension: string, name: string): number | undefined {
    const key = departmentKey(dimension, name);
    return (this.#known.get(key) ?? this.#new.get(key))?.number;
  }

  #create(department: Omit<DepartmentEntry, 'number'>): number {
    const number = ++this.#last;
    this.#new.set(departmentKey(department.dimension, department.name), { number, ...department });
    return number;
  }
}

export function planHierarchy(
  sent: readonly DivisionSent[] | null,
  state: ManagerRolesState,
  plan: DepartmentPlan,
  settings: CompanySettings,
): ReadonlyMap<number, number> {
  if (sent === null) return state.hierarchy;
  const hierarchy = new Map<number, number>();
  for (const { name, parent } of sent) {
    const division = plan.findOrCreateDivision(name, settings);
    if (parent !== null) hierarchy.set(division, plan.findOrCreateDivision(parent, settings));
  }
  return hierarchy;
}
