const NUMBER = '[0-9]+';
const ID = '[0-9a-f-]+';

/** Patterns of every family of streams. Each begins with letters that no id has, so installations with any prefixes can share a log. */
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
  'anchors',
  `reads-${NUMBER}-${NUMBER}`,
  `refusals-${NUMBER}`,
  `webhooks-${NUMBER}`,
  `operator-${ID}`,
];

const KNOWN = new RegExp(`^(?:${STREAM_FAMILIES.join('|')})$`);

/** Whether a name without prefix is of a known family; all others are foreign. */
export const isStreamName = (name: string): boolean => KNOWN.test(name);
