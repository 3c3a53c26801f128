/** The process ends, and with it the run of an import: nothing of it is half done, and it is begun again by the next worker. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';

  constructor() {
    super('the process ends');
  }
}
