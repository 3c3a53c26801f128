/** Which companies are being run in this process: at most one run at a time for each. */
export class CompanyRuns {
  /** Of each company that is being run: whether somebody asked for it since the run last looked. */
  readonly #asked = new Map<number, boolean>();

  /** True where the caller has to run the company. False where that is under way: the run will look once more. */
  begin(companyId: number): boolean {
    const isFree = !this.#asked.has(companyId);
    this.#asked.set(companyId, !isFree);
    return isFree;
  }

  /** The run looks now: it sees all that was asked for until here. */
  looks(companyId: number): void {
    this.#asked.set(companyId, false);
  }

  /** Ends the run and says so, unless somebody asked since it last looked: then it has to look again. */
  endUnlessAsked(companyId: number): boolean {
    return this.#asked.get(companyId) === false && this.#asked.delete(companyId);
  }

  end(companyId: number): void {
    this.#asked.delete(companyId);
  }
}
