const noAnswer = (ms: number): Error => new Error(`no answer within ${ms} ms`);

/** Rejects with `late` after the time; a later answer is dropped. */
export async function within<T>(answer: Promise<T>, ms: number, late = noAnswer): Promise<T> {
  if (ms === Infinity) return answer;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late(ms)), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
