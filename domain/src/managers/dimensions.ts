import type { CompanySettings, DepartmentType } from '@rollcall/contracts';
import { foldCase } from '../text/fold-case.js';

/** A configured dimension: its name as configured, and the type of its departments. */
export interface Dimension {
  readonly type: DepartmentType;
  readonly name: string;
}

/** How many names a problem tells. */
const shownNames = 20;

/** The dimensions of a company, found whatever the case (interface.md, "ManagerRole"). */
export class Dimensions {
  readonly #byName = new Map<string, Dimension>();
  /** A rule that tells which there are. */
  readonly rule: string;

  constructor({ departmentDimensions, divisionDimensions, projectDimensions }: CompanySettings) {
    this.#add('department', departmentDimensions);
    this.#add('division', divisionDimensions);
    this.#add('project', projectDimensions);
    this.rule = `must be ${this.#choice()}`;
  }

  find(name: string): Dimension | undefined {
    return this.#byName.get(foldCase(name));
  }

  #add(type: DepartmentType, names: readonly string[]): void {
    for (const name of names) {
      const key = foldCase(name);
      if (!this.#byName.has(key)) this.#byName.set(key, { type, name });
    }
  }

  #choice(): string {
    const names = [...this.#byName.values()].map(({ name }) => name);
    if (names.length === 0)
      return 'a department, division or project dimension of the company, which has none configured';
    const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
    return `one of the company's dimensions: ${names.slice(0, shownNames).join(', ')}${more}`;
  }
}
