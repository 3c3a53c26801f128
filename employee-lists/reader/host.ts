/** Writes 256 u32 to `to`, as `pages` of `email.ts` has them; 0x110000 for U+0130. False for a page without letters. */
export declare function fillPage(page: u32, to: usize): bool;

/** The digit that a JSON number equals; -1 unless it is 0 to 9. */
export declare function digitOf(start: usize, length: usize): i32;
