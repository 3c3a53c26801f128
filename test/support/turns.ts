/** Turns of the event loop that others had while something was done. */
export async function turnsOf<T>(
  work: () => Promise<T>,
): Promise<{ readonly turns: number; readonly result: T }> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work().finally(() => (isOver = true));
  return { turns, result };
}
