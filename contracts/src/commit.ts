declare const COMMIT: string | undefined;

const built = typeof COMMIT === 'string' ? COMMIT : '';

/** With `-dirty` where files differed from the commit; null where the build did not know it. */
export const commit = built === '' ? null : built;
