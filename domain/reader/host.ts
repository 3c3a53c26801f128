/* What the host does for the reader. */

/**
 * Whether the text at `start` is that of this column (see `repeats.ts`) which element number `element` brought: a hit in a
 * table of hashes is settled by the bytes.
 */
export declare function isSameText(column: i32, element: u32, start: usize, length: usize): bool;

/**
 * Writes 256 words of four bytes to `to`: what each letter of this page is folded to, 0 for what stands in no address and for
 * what is folded to more than one letter.
 */
export declare function fillPage(page: u32, to: usize): void;
