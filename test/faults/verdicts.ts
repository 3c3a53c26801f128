import { seed } from '../support/scale.js';
import { runPython } from '../support/verifier.js';
import type { Verdict } from './anchored-log.js';

let state = seed;
export const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
export const one = <T>(of: readonly T[]): T => {
  const found = of[random(of.length)];
  if (found === undefined) throw new Error('there is none');
  return found;
};

export const isFound = ({ damaged, anchors }: Verdict, where: string): boolean =>
  where === 'anchor' ? !anchors : damaged.includes(where);

/** Of the log's own anchors a damaged one says nothing more: each verifier reads as many of them as it can. */
export const comparable = ({ damaged, anchors }: Verdict): Verdict => ({
  damaged: [...damaged].sort(),
  anchors: damaged.some((place) => place.startsWith('anchors@')) || anchors,
});

const driver = `
import json, sys, verify
for folder in sys.argv[1:]:
    print(json.dumps(verify.verify_export(folder, [folder + "/anchors.ndjson"])))`;

export async function theirVerdicts(folders: readonly string[]): Promise<readonly Verdict[]> {
  const { out, err } = await runPython(['-c', driver, ...folders]);
  if (err !== '') throw new Error(err);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict);
}
