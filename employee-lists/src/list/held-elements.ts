import { HeldElement } from './held-element.js';
import type { EmployeeList } from './list-builder.js';
import { windowBytes } from './reader-module.js';

/** An element this close behind the loaded bytes is read in sequence. */
const nearBytes = 4096;

export class HeldElements {
  readonly held: HeldElement;
  readonly #list: EmployeeList;
  #start = 0;
  #end = 0;

  private constructor(list: EmployeeList, held: HeldElement) {
    this.#list = list;
    this.held = held;
  }

  static use<T>(list: EmployeeList, work: (elements: HeldElements) => T): T {
    return HeldElement.use((held) => work(new HeldElements(list, held)));
  }

  hold(element: number): boolean {
    const { plain, bounds } = this.#list;
    if (plain[element] !== 1) return false;
    const start = bounds[element * 2] ?? 0;
    const end = bounds[element * 2 + 1] ?? 0;
    if (start < this.#start || end > this.#end) this.#load(start, end);
    return this.held.hold(start - this.#start, end - start, true);
  }

  /** Elements far from each other are loaded without the bytes between. */
  #load(start: number, end: number): void {
    const { bytes, bounds, count } = this.#list;
    const isNear = start >= this.#start && start < this.#end + nearBytes;
    this.#start = start;
    this.#end = isNear ? Math.min(start + windowBytes, bounds[count * 2 - 1] ?? 0) : end;
    this.held.load(bytes(start, this.#end));
  }
}
