export interface Closable {
  close(): Promise<void>;
}

/** Keeps a part that was opened, to close it in its turn. */
export type Opened = <P extends Closable>(part: P) => P;

/**
 * Opens something part by part. `close` closes the parts, the last one first, each of them also where another could not be
 * closed; a step that fails does the same.
 */
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

/** One after the other; throws the first problem at the end. */
async function closeAll(parts: readonly Closable[]): Promise<void> {
  const problems: unknown[] = [];
  for (const part of parts) await part.close().catch((error: unknown) => problems.push(error));
  if (problems.length > 0) throw problems[0];
}
