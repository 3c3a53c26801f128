/** Why a transaction failed. LMDB hands the reason of a failed commit on as a rejected promise: nobody else listens to it. */
export async function causeOfFailure(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
