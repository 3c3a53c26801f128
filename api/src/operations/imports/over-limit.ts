import { capitalized, counted, numberText } from '../frame/numbers.js';

/** The larger of the two counts passes the limit: it is named, and typed. */
export function overLimit({
  inserted,
  removed,
  present,
  limit,
}: Readonly<Record<'inserted' | 'removed' | 'present' | 'limit', number>>) {
  const [count, other] = [Math.max(inserted, removed), Math.min(inserted, removed)];
  const [verb, of, others] = removed === count ? ['remove', 'of', 'add'] : ['add', 'to', 'remove'];
  const employees = counted(count, 'employee');
  const what = `It would ${verb} ${employees} ${of} ${numberText(present)}`;
  return {
    count,
    what: `${what}: more than the batch limit of ${limit}\u00a0%. It would ${others} ${numberText(other)}.`,
    button: actionText([
      [count, `${verb} ${employees}`],
      [other, `${others} ${numberText(other)}`],
    ]),
  };
}

/** `Remove 2 employees, add 1`: what there is of each. */
export function actionText(parts: readonly (readonly [count: number, text: string])[]): string {
  return capitalized(parts.flatMap(([count, each]) => (count > 0 ? [each] : [])).join(', '));
}
