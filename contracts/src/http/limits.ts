/**
 * What callers may send, in one place: the domain checks by it, the reference (`/openapi.json`) tells it. Lengths count
 * Unicode code points (interface.md, "Limits"; docs/contract, "Strings"). Those of an employee's texts: `employeeFields`.
 */
export const limits = {
  email: 254,
  employee: {
    dimensionName: 150,
    dimensionValue: 50,
    /** The fields that are mirrored among the Dimensions are not counted. */
    dimensions: 100,
  },
  managers: {
    /** Of a department, division or project, and of a manager's first and last name. */
    name: 150,
    /** Members of DepartmentHierarchy: far more than any company has, and no more than one event can well carry. */
    divisions: 100_000,
  },
  survey: { name: 50, key: 20, text: 4_000, questions: 500, answerOptions: 100, stateChanges: 1_000 },
} as const;

/** Codes by their names. */
export const codes = {
  gender: { Male: 0, Female: 1, Unknown: 9 },
  employmentStatus: { Active: 0, OnLeave: 1 },
  surveyState: { Draft: 1, Active: 2, Inactive: 3 },
  questionType: { CoverPage: 1, AnswerOptions: 2, TextAnswer: 3, BodyQuestion: 4, ThankYouPage: 99 },
} as const;

const day = '([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const time = 'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.]([0-9]{1,9}))?Z';

/** An address: the characters of its local part, the ends of a label, and what may stand between them. */
const email = (local: string, end: string, inner: string): string => {
  const label = `${end}(?:${inner}{0,61}${end})?`;
  return `^${local}+@${label}(?:\\.${label})+$`;
};

/**
 * Forms of texts, for `new RegExp(pattern, 'u')`. Days have groups for year, month, day and the digits behind the second; that
 * a day exists is left to the domain.
 */
export const patterns = {
  utcDate: `^${day}${time}$`,
  localDate: `^${day}$`,
  birthday: `^${day}(?:${time})?$`,
  phone: '^\\+[0-9]{6,20}$',
  /** The HTML e-mail field's, with letters and digits of every script: what the domain goes by. */
  email: email("[\\p{L}\\p{M}\\p{N}.!#$%&'*+/=?^_`{|}~-]", '[\\p{L}\\p{M}\\p{N}]', '[\\p{L}\\p{M}\\p{N}-]'),
  /**
   * The same for tools that know no classes of Unicode, which is most of those that read the reference: whatever is no
   * ASCII passes for a letter.
   */
  emailForTools: email(
    '[^\\x00-\\x20"(),:;<>@\\[\\\\\\]\\x7f]',
    '[^\\x00-/:-@\\[-`{-\\x7f]',
    '[^\\x00-,./:-@\\[-`{-\\x7f]',
  ),
  languageId: '^[1-9][0-9]*$',
} as const;
