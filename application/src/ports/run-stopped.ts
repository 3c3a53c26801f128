/** The process ends and stops the import's run; nothing is half done, and the next worker starts it anew. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';

  constructor() {
    super('the process ends');
  }
}
