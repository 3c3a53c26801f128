/** How much of a long test is run: everything at 1, a tenth by default. */
export const scale = Number(process.env['TEST_SCALE'] ?? '0.1');

/** What a random test begins with. It is told with a failure, and gives the same runs again as TEST_SEED. */
export const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);
