/** What is decided on may change while it is looked up. */
const mostLookUps = 10;

/** Decides again after each look-up that the decision asks for by throwing `Needed`. */
export async function withLookUps<T, N extends Error>(
  Needed: abstract new (...args: never[]) => N,
  decide: (isFirst: boolean) => Promise<T>,
  lookUp: (needed: N) => Promise<void> | undefined,
): Promise<T> {
  for (let round = 1; ; round += 1)
    try {
      return await decide(round === 1);
    } catch (error) {
      if (!(error instanceof Needed) || round > mostLookUps) throw error;
      await lookUp(error);
    }
}
