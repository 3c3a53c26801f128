import type { StoredAnswerOption, StoredQuestion } from '@rollcall/contracts';
import type { OptionSent } from './read-question.js';
import { textsFingerprint } from './read-texts.js';

interface OptionsAfter {
  readonly answerOptions: StoredAnswerOption[];
  readonly lastOption: number;
}

const labelKey = (questionKey: string, value: number): string => `${questionKey}_${value}`;

/** Whether the LabelKey was ever given, also to a removed option. */
export function wasOption(question: StoredQuestion, key: string): boolean {
  const value = Number(key.slice(question.key.length + 1));
  return (
    Number.isInteger(value) &&
    value >= 1 &&
    value <= (question.lastOption ?? 0) &&
    key === labelKey(question.key, value)
  );
}

/** Without LabelKey: matches an unaddressed option with equal Texts, so repeats insert nothing. Keys are never reused. */
export function applyOptions(
  questionKey: string,
  before: OptionsAfter,
  options: readonly OptionSent[],
): OptionsAfter {
  const stored = new Map(before.answerOptions.map((option) => [option.LabelKey, option]));
  const addressed = new Set(options.map(({ key }) => key));
  const pool = new UnaddressedPool(
    before.answerOptions
      .filter((option) => !addressed.has(option.LabelKey))
      .sort((a, b) => a.Value - b.Value),
    (option) => textsFingerprint(option.Texts),
  );
  let { lastOption } = before;
  const insert = () => {
    lastOption++;
    return { LabelKey: labelKey(questionKey, lastOption), Value: lastOption };
  };
  const sent = options
    .filter((option) => !option.deleted)
    .map((option) => {
      const existing =
        option.key === null ? pool.take(textsFingerprint(option.texts)) : stored.get(option.key);
      return { ...(existing ?? insert()), Texts: { ...option.texts } };
    });
  const answerOptions = arrange({
    before: before.answerOptions,
    sent,
    addressed,
    keyOf: (option) => option.LabelKey,
  });
  return { answerOptions, lastOption };
}

interface Arrangement<T> {
  readonly before: readonly T[];
  /** In the call's order, without those to delete. */
  readonly sent: readonly T[];
  /** Keys in the call, of those to delete too. */
  readonly addressed: ReadonlySet<string | null>;
  readonly keyOf: (item: T) => string;
}

/** As sent; unmentioned ones stay after their nearest sent predecessor, or first (docs/contract, "Update"). */
export function arrange<T>({ before, sent, addressed, keyOf }: Arrangement<T>): T[] {
  const sentKeys = new Set(sent.map(keyOf));
  const first: T[] = [];
  const behind = new Map<string, T[]>(sent.map((item) => [keyOf(item), []]));
  let target = first;
  for (const item of before) {
    const key = keyOf(item);
    if (sentKeys.has(key)) target = behind.get(key) ?? first;
    else if (!addressed.has(key)) target.push(item);
  }
  return [...first, ...sent.flatMap((item) => [item, ...(behind.get(keyOf(item)) ?? [])])];
}

/** Unaddressed items by an equality key; each is taken once, in order. */
export class UnaddressedPool<T> {
  readonly #equal = new Map<string, T[]>();

  constructor(items: readonly T[], fingerprint: (item: T) => string) {
    for (const item of items.toReversed()) {
      const key = fingerprint(item);
      const equal = this.#equal.get(key);
      if (equal) equal.push(item);
      else this.#equal.set(key, [item]);
    }
  }

  take(fingerprint: string): T | undefined {
    return this.#equal.get(fingerprint)?.pop();
  }
}
