/** `full` runs at TEST_SCALE=1, a tenth by default; repeat a seed with TEST_SEED. */
export function scaled(full: number, note: (text: string) => void): { numRuns: number; seed: number } {
  const scale = Number(process.env['TEST_SCALE'] ?? '0.1');
  const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);
  const numRuns = Math.max(1, Math.ceil(full * scale));
  note(`TEST_SEED=${seed}, ${numRuns} runs`);
  return { numRuns, seed };
}
