export interface Closable {
  close(): Promise<void>;
}

export type Opened = <P extends Closable>(part: P) => P;

/** Opens parts in order. `close`, or a failing step, closes them in reverse, each even after a failure. */
export async function openInParts<T extends object>(
  open: (opened: Opened) => Promise<T>,
): Promise<T & Closable> {
  const parts: Closable[] = [];
  const close = (): Promise<void> => closeAll(parts.splice(0).reverse());
  try {
    return { ...(await open((part) => (parts.push(part), part))), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Closed at the same time, each even after a failure. */
export const together = (...parts: readonly Closable[]): Closable => ({
  close: async () => {
    const ended = await Promise.allSettled(parts.map(async (part) => part.close()));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  },
});

async function closeAll(parts: readonly Closable[]): Promise<void> {
  const problems: unknown[] = [];
  for (const part of parts)
    try {
      await part.close();
    } catch (error) {
      problems.push(error);
    }
  if (problems.length > 0) throw problems[0];
}
