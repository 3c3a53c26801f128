import type { CompanySettings, DepartmentType } from '@rollcall/contracts';
import { foldCase } from '@rollcall/employee-lists/text';

export interface Dimension {
  readonly type: DepartmentType;
  readonly name: string;
}

const maxShownNames = 20;

/** Case-insensitive (interface.md, "ManagerRole"). */
export class Dimensions {
  readonly #byName = new Map<string, Dimension>();
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
    const more = names.length > maxShownNames ? ` and ${names.length - maxShownNames} more` : '';
    return `one of the company's dimensions: ${names.slice(0, maxShownNames).join(', ')}${more}`;
  }
}
