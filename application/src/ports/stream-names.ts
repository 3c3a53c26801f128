const NUMBER = '[0-9]+';
const ID = '[0-9a-f-]+';

/**
 * Every family of streams, as a pattern of its names. Each begins with letters that no id and no number has, so that a name
 * with anything before it is never a name of another family: installations share a log whatever their prefixes are.
 */
export const STREAM_FAMILIES: readonly string[] = [
  `company-${NUMBER}`,
  `operation-${ID}`,
  `payload-${ID}`,
  `data-${ID}`,
  `survey-${NUMBER}`,
  'surveyids',
  `key-${ID}`,
  `invitation-${NUMBER}-${NUMBER}`,
  'api-users',
  `apitokens-${NUMBER}`,
  'installation',
];

const KNOWN = new RegExp(`^(?:${STREAM_FAMILIES.join('|')})$`);

/** Whether a name (without the installation's prefix) is one of a known family; all others belong to somebody else. */
export const isStreamName = (name: string): boolean => KNOWN.test(name);
