import fc from 'fast-check';

/** What an event is made of; `again` takes the id of an event that was made before. */
export interface EventShape {
  readonly type: string;
  readonly contentType: 'json' | 'binary';
  readonly bytes: number;
  readonly metadata: string;
  readonly again: number | undefined;
}

/** A stream's head as a writer believes it: as it is, off by some, or that there is none. */
export type Belief = number | 'no-stream';

/** One step of a random history. Numbers that choose are taken modulo what there is to choose from. */
export type Step =
  | {
      readonly kind: 'append';
      readonly stream: string;
      readonly believed: Belief;
      readonly events: readonly EventShape[];
    }
  /** Several appends to one stream that do not wait for each other. */
  | { readonly kind: 'burst'; readonly stream: string; readonly beliefs: readonly Belief[] }
  /** Events of a stream once more, from one of them on, at its own place or `off` by some. */
  | {
      readonly kind: 'repeat';
      readonly stream: string;
      readonly from: number;
      readonly count: number;
      readonly off: number;
      readonly mixedWith: 'nothing' | 'one before' | 'one behind';
    }
  | {
      readonly kind: 'read';
      readonly stream: string;
      readonly from: number | undefined;
      readonly limit: number | undefined;
      readonly backwards: boolean;
      /** The reader stops after so many. */
      readonly stop: number | undefined;
    }
  | { readonly kind: 'last' | 'delete'; readonly stream: string }
  | { readonly kind: 'last position'; readonly without: readonly string[] }
  | { readonly kind: 'list'; readonly begin: string }
  /** Reads until it has caught up, from behind any place that was ever heard of. */
  | { readonly kind: 'subscribe'; readonly after: number; readonly without: readonly string[] }
  /** Begins a subscription that lives to the end of the history. */
  | { readonly kind: 'live'; readonly without: readonly string[] }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'scavenge' };

/** Which of two handles on the same log takes the step. */
export type HandledStep = Step & { readonly handle: number };

export const HANDLES = 2;

const LONG = `data-${'0'.repeat(320)}`;
const fewNames = ['company-1', 'survey-1', 'data-1', 'data-10', 'payload-1', 'surveyids'];
const odderNames = [
  'company-007',
  'company-10',
  'survey-18446744073709551616',
  'data--',
  'data-1-1',
  'operation-abcdef',
  'key-0',
  'invitation-1-1',
  'api-users',
  'apitokens-1',
  'installation',
  LONG,
];
/** Names that no stream of ours has; `$` is where the server keeps its own. */
const badNames = [
  '',
  ' ',
  'stage-company-1',
  'Company-1',
  'company-1 ',
  'company-1\n',
  'company-é',
  '$all',
  '$$company-1',
  '$$$scavenges',
  '__proto__',
  `${LONG}${LONG}`,
];
const stream = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...fewNames) },
  { weight: 3, arbitrary: fc.constantFrom(...odderNames) },
  { weight: 1, arbitrary: fc.constantFrom(...badNames) },
);

/** No other stream of ours is ever deleted: what somebody else has deleted there is a damage on a server (`stream-damage`). */
const mayGo = stream.filter((name) => /^(?:data|payload)-/.test(name) || badNames.includes(name));

const begin = fc.constantFrom(
  '',
  'data-',
  'data-1',
  'company-',
  'd',
  'x',
  '.',
  'data-.',
  'data-1$',
  '(',
  '#',
  '\\',
  LONG,
);
const without = fc.constantFrom<readonly string[]>(
  [],
  ['data-', 'payload-'],
  ['data-1'],
  ['survey', 'company-1'],
  ['.'],
  ['x#', '\\'],
  [''],
);

const LIMIT = 1_048_576;
const shape: fc.Arbitrary<EventShape> = fc.record({
  type: fc.oneof(
    { weight: 20, arbitrary: fc.constant('SomethingHappened') },
    { weight: 3, arbitrary: fc.constantFrom('née 你好 🙂', 'with space', 'a'.repeat(255), '__proto__') },
    { weight: 1, arbitrary: fc.constantFrom('', '$odd', '$streamDeleted') },
  ),
  contentType: fc.constantFrom('json', 'binary'),
  bytes: fc.oneof(
    { weight: 400, arbitrary: fc.nat(60) },
    { weight: 8, arbitrary: fc.constant(70_000) },
    { weight: 1, arbitrary: fc.constantFrom(LIMIT / 2, LIMIT, LIMIT + 1) },
  ),
  metadata: fc.constantFrom('{}', '{"by":"née 🙂"}', '', '{"10":1,"9":2}'),
  again: fc.option(fc.nat(30), { nil: undefined, freq: 12 }),
});

const belief: fc.Arbitrary<Belief> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 1, arbitrary: fc.constant<'no-stream'>('no-stream') },
);

const kind = <K extends Step['kind']>(...kinds: K[]) => fc.constantFrom(...kinds);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: kind('append'),
      stream,
      believed: belief,
      events: fc.array(shape, { minLength: 0, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('burst'),
      stream,
      beliefs: fc.array(belief, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind('repeat'),
      stream,
      from: fc.nat(20),
      count: fc.integer({ min: 1, max: 5 }),
      off: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
      ),
      mixedWith: fc.constantFrom('nothing', 'nothing', 'one before', 'one behind'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind('read'),
      stream,
      from: fc.option(fc.oneof(fc.nat(12), fc.constant(Number.MAX_SAFE_INTEGER)), { nil: undefined }),
      limit: fc.option(fc.nat(5), { nil: undefined }),
      backwards: fc.boolean(),
      stop: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('last'), stream }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete'), stream: mayGo }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('last position'), without }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('list'), begin }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('subscribe'), after: fc.nat(60), without }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('live'), without }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reopen', 'scavenge') }) },
);

/** Of 50 steps on average; shrunk to the few that a difference needs. */
export const histories: fc.Arbitrary<HandledStep[]> = fc.array(
  fc.tuple(step, fc.nat(HANDLES - 1)).map(([one, handle]) => ({ ...one, handle })),
  { minLength: 1, maxLength: 100, size: 'max' },
);

/** Two that end alike, or stand before names of ours, or are none. */
export const prefixes = fc.constantFrom('', '-', 'red', 'data-', 'a.b(c)#', 'x_');
