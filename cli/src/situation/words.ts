import type { WaitingWork } from '@rollcall/application';

/** As in the alert rules. A long list's invitations take their time at `INVITATION_RATE`. */
export const oldAfterMs = { imports: 900_000, invitations: 3_600_000, webhooks: 900_000 } as const;
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `12 s`, `3 min`, `5 h`, `2 d`: the largest whole unit. */
export function spanText(ms: number): string {
  const [name, size] = units.find(([, each]) => ms >= each) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${name}`;
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** How long the oldest import waits, and how many wait for somebody. */
export const importsWait = ({ oldestImportMs, toApprove }: WaitingWork): string =>
  [
    ...(oldestImportMs > 0 || toApprove === 0 ? [`the oldest for ${spanText(oldestImportMs)}`] : []),
    ...(toApprove > 0 ? [`${toApprove} for an approval`] : []),
  ].join(', ');
