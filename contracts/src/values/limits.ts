/** Limits on input. Lengths count Unicode code points (interface.md, "Limits"; docs/contract, "Strings"). */
export const limits = {
  email: 254,
  employee: {
    dimensionName: 150,
    dimensionValue: 50,
    /** Mirrored fields are not counted. */
    dimensions: 100,
  },
  managers: {
    /** Of a department, division or project, and of a manager's names. */
    name: 150,
    /** Members of DepartmentHierarchy; bounds the event's size. */
    divisions: 100_000,
  },
  survey: { name: 50, key: 20, text: 4_000, questions: 500, answerOptions: 100, stateChanges: 1_000 },
} as const;

export const codes = {
  gender: { Male: 0, Female: 1, Unknown: 9 },
  employmentStatus: { Active: 0, OnLeave: 1 },
  surveyState: { DraftSurvey: 1, ActiveSurvey: 2, InactiveSurvey: 3 },
  questionType: { CoverPage: 1, AnswerOptions: 2, TextAnswer: 3, BodyQuestion: 4, ThankYouPage: 99 },
} as const;

const day = '([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const time = 'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.]([0-9]{1,9}))?Z';

const email = (local: string, end: string, inner: string): string => {
  const label = `${end}(?:${inner}{0,61}${end})?`;
  return `^${local}+@${label}(?:\\.${label})+$`;
};

/** For `new RegExp(pattern, 'u')`; days have groups for year, month, day, fraction. The domain checks that a day exists. */
export const patterns = {
  utcDate: `^${day}${time}$`,
  localDate: `^${day}$`,
  birthday: `^${day}(?:${time})?$`,
  phone: '^\\+[0-9]{6,20}$',
  /** The HTML e-mail field's rule with letters and digits of every script; the domain's rule. */
  email: email("[\\p{L}\\p{M}\\p{N}.!#$%&'*+/=?^_`{|}~-]", '[\\p{L}\\p{M}\\p{N}]', '[\\p{L}\\p{M}\\p{N}-]'),
  /** For tools without Unicode classes: any non-ASCII character passes as a letter. */
  emailForTools: email(
    '[^\\x00-\\x20"(),:;<>@\\[\\\\\\]\\x7f]',
    '[^\\x00-/:-@\\[-`{-\\x7f]',
    '[^\\x00-,./:-@\\[-`{-\\x7f]',
  ),
  languageId: '^[1-9][0-9]*$',
} as const;
