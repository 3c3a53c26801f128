import { counted, numberText } from '../frame/numbers.js';

export interface OverLimit {
  readonly inserted: number;
  readonly removed: number;
  readonly present: number;
  readonly limit: number;
}

/** The larger of the two counts passes the limit: it is named, and typed. */
export function overLimit({ inserted, removed, present, limit }: OverLimit) {
  const [count, other] = [Math.max(inserted, removed), Math.min(inserted, removed)];
  const [verb, of, others] = removed === count ? ['remove', 'of', 'add'] : ['add', 'to', 'remove'];
  const employees = counted(count, 'employee');
  const what = `It would ${verb} ${employees} ${of} ${numberText(present)}`;
  return {
    count,
    what: `${what}: more than the batch limit of ${limit} %. It would ${others} ${numberText(other)}.`,
    button: `${verb === 'add' ? 'Add' : 'Remove'} ${employees}`,
  };
}
