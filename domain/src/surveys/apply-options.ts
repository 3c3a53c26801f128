import type { StoredAnswerOption, StoredQuestion } from '@rollcall/contracts';
import { arrange } from './arrange.js';
import type { OptionSent } from './read-question.js';
import { textsFingerprint } from './read-texts.js';
import { UnaddressedPool } from './unaddressed-pool.js';

export interface OptionsAfter {
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
  const addressed = new Set(options.flatMap(({ key }) => (key === null ? [] : [key])));
  const pool = new UnaddressedPool(
    before.answerOptions
      .filter((option) => !addressed.has(option.LabelKey))
      .sort((a, b) => a.Value - b.Value),
    (option) => textsFingerprint(option.Texts),
  );
  let { lastOption } = before;
  const insert = (): StoredAnswerOption => {
    lastOption++;
    return { LabelKey: labelKey(questionKey, lastOption), Value: lastOption, Texts: {} };
  };
  const sent = options
    .filter((option) => !option.deleted)
    .map((option) => {
      const existing =
        option.key === null ? pool.take(textsFingerprint(option.texts)) : stored.get(option.key);
      return { ...(existing ?? insert()), Texts: { ...option.texts } };
    });
  const deleted = new Set(options.flatMap(({ key, deleted }) => (deleted && key !== null ? [key] : [])));
  const answerOptions = arrange({
    before: before.answerOptions,
    sent,
    deleted,
    keyOf: (option) => option.LabelKey,
  });
  return { answerOptions, lastOption };
}
