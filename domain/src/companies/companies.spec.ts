import type { CompanySettings, DomainEventOf } from '@rollcall/contracts';
import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { specify } from '../testing/decider-specification.js';
import * as companies from './index.js';

const { given } = specify(companies);
const defaults = companies.defaultSettings(7);

const configured = (changes: Partial<CompanySettings> = {}): DomainEventOf<'CompanyConfigured'> => ({
  name: 'CompanyConfigured',
  data: { companyId: 7, settings: { ...defaults, ...changes } },
});
const configure = (changes: Partial<CompanySettings> = {}): companies.ConfigureCompany => ({
  companyId: 7,
  changes,
});

tap.test('happened', async (t) => {
  t.test('a new company gets what it was given, and the defaults for the rest', async () => {
    given()
      .when(configure({ name: 'Øst ApS', integrationEnabled: true }))
      .then(configured({ name: 'Øst ApS', integrationEnabled: true }));
  });

  t.test('the defaults are those of the contract', async (t) => {
    t.same(defaults.businessDays, [1, 2, 3, 4, 5]);
    t.same(defaults.businessHours, { from: '08:00', to: '17:00' });
    t.equal(defaults.queueThreshold, 1000);
    t.equal(defaults.batchLimit, null);
    t.equal(defaults.autoInvite, true);
    t.equal(defaults.integrationEnabled, false);
    t.equal(defaults.hierarchyEnabled, false);
  });

  t.test('a later command changes what it names and nothing else', async () => {
    given(configured({ name: 'A', timeZone: 'Asia/Kathmandu', batchLimit: 25 }))
      .when(configure({ batchLimit: null }))
      .then(configured({ name: 'A', timeZone: 'Asia/Kathmandu', batchLimit: null }));
  });

  t.test('a setting can be taken back to what it was two events ago', async () => {
    given(configured({ name: 'A' }), configured({ name: 'B' }))
      .when(configure({ name: 'A' }))
      .then(configured({ name: 'A' }));
  });

  const allowed: readonly [string, Partial<CompanySettings>][] = [
    ['a whole day', { businessHours: { from: '00:00', to: '24:00' } }],
    ['hours of minutes', { businessHours: { from: '20:15', to: '20:45' } }],
    ['hours that begin late and end early in their hours', { businessHours: { from: '08:45', to: '09:15' } }],
    ['no business days', { businessDays: [] }],
    ['all days', { businessDays: [1, 2, 3, 4, 5, 6, 7] }],
    ['a limit of 0', { batchLimit: 0 }],
    ['a limit of 100', { batchLimit: 100 }],
    ['a limit that counts for every company', { batchLimitFrom: 0 }],
    ['a threshold of 1', { queueThreshold: 1 }],
    ['100 dimensions', { departmentDimensions: Array.from({ length: 100 }, (_, n) => `d${n}`) }],
    ['5,000 holidays', { holidays: Array<string>(5_000).fill('2026-01-01') }],
    [
      '500 languages, from 1 on',
      {
        languages: Array.from({ length: 500 }, (_, n) => ({ id: n + 1, label: 'x'.repeat(100), code: 'en' })),
      },
    ],
  ];
  for (const [what, changes] of allowed)
    t.test(what, async () => {
      given().when(configure(changes)).then(configured(changes));
    });

  t.test('company 1', async () => {
    const settings = companies.defaultSettings(1);
    given()
      .when({ companyId: 1, changes: {} })
      .then({ name: 'CompanyConfigured', data: { companyId: 1, settings } });
  });

  t.test('a limit for a time stands until it ends, is ended, or another one is set meanwhile', async (t) => {
    const then = { from: '2026-12-01T00:00:00Z', limit: 25 };
    const looser = { batchLimit: 90, batchLimitThen: then };
    const after = given(configured(looser));
    given(configured({ batchLimit: 25 }))
      .when({ ...configure({ batchLimit: 90 }), batchLimitUntil: then.from })
      .then(configured(looser));
    after.when(configure({ name: 'B' })).then(configured({ ...looser, name: 'B' }));
    const later = { ...then, from: '2027-01-01T00:00:00Z' };
    after
      .when({ ...configure({ batchLimit: 80 }), batchLimitUntil: later.from })
      .then(configured({ batchLimit: 80, batchLimitThen: later }));
    after.when(configure({ batchLimit: 30 })).then(configured({ batchLimit: 30 }));
    const settings = { ...defaults, ...looser };
    t.equal(companies.batchLimitAt(settings, Date.parse(then.from) - 1), 90);
    t.equal(companies.batchLimitAt(settings, Date.parse(then.from)), 25);
  });
});

tap.test('nothing', async (t) => {
  t.test('the same settings again', async () => {
    given(configured({ name: 'A' }))
      .when(configure({ name: 'A' }))
      .thenNothing();
  });
  t.test('a known company and no setting', async () => {
    given(configured()).when(configure()).thenNothing();
  });
});

tap.test('refused', async (t) => {
  const wrong: readonly [string, Partial<CompanySettings>, keyof CompanySettings, RegExp][] = [
    ['a blank name', { name: ' ' }, 'name', /blank/],
    ['a name of 151 characters', { name: '𝕏'.repeat(151) }, 'name', /150/],
    ['a zone that does not exist', { timeZone: 'Europe/Kopenhagen' }, 'timeZone', /IANA/],
    ['an abbreviation of several zones', { timeZone: 'IST' }, 'timeZone', /IANA/],
    ['an offset for a zone', { timeZone: '+02:00' }, 'timeZone', /IANA/],
    [
      '101 dimensions',
      { departmentDimensions: Array.from({ length: 101 }, (_, n) => `d${n}`) },
      'departmentDimensions',
      /100/,
    ],
    ['5,001 holidays', { holidays: Array<string>(5_001).fill('2026-01-01') }, 'holidays', /5000/],
    [
      '501 languages',
      { languages: Array.from({ length: 501 }, (_, n) => ({ id: n + 1, label: 'x', code: 'en' })) },
      'languages',
      /500/,
    ],
    ['language 1.5', { languages: [{ id: 1.5, label: 'x', code: 'en' }] }, 'languages', /positive/],
    ['a name with half a surrogate pair', { name: 'A \ud800' }, 'name', /surrogate/],
    ['day 0', { businessDays: [0, 1] }, 'businessDays', /1 .*7/],
    ['day 1.5', { businessDays: [1.5] }, 'businessDays', /1 .*7/],
    ['hours that are none', { businessHours: { from: '8', to: '17:00' } }, 'businessHours', /HH:mm/],
    ['hours without length', { businessHours: { from: '08:00', to: '08:00' } }, 'businessHours', /before/],
    ['a negative count', { batchLimitFrom: -1 }, 'batchLimitFrom', /integer from 0/],
    ['half a count', { batchLimitFrom: 1.5 }, 'batchLimitFrom', /integer from 0/],
    [
      'a limit then that is none',
      { batchLimitThen: { from: '2026-12-01T00:00:00Z', limit: 101 } },
      'batchLimitThen',
      /percentage/,
    ],
    [
      'a limit then from no moment',
      { batchLimitThen: { from: 'soon', limit: 25 } },
      'batchLimitThen',
      /moment/,
    ],
    ['day 8', { businessDays: [1, 8] }, 'businessDays', /1 .*7/],
    ['a day twice', { businessDays: [1, 1] }, 'businessDays', /once/],
    ['an hour 24:01', { businessHours: { from: '08:00', to: '24:01' } }, 'businessHours', /HH:mm/],
    ['hours over midnight', { businessHours: { from: '22:00', to: '06:00' } }, 'businessHours', /before/],
    ['a holiday that does not exist', { holidays: ['2026-02-29'] }, 'holidays', /exist/],
    ['a blank dimension', { projectDimensions: [''] }, 'projectDimensions', /blank/],
    ['a dimension of 51 characters', { divisionDimensions: ['x'.repeat(51)] }, 'divisionDimensions', /50/],
    ['a dimension of two kinds', { projectDimensions: ['dePartment'] }, 'projectDimensions', /repeat/],
    ['language 0', { languages: [{ id: 0, label: 'x', code: 'en' }] }, 'languages', /positive/],
    [
      'a label of 101 characters',
      { languages: [{ id: 1, label: 'x'.repeat(101), code: 'en' }] },
      'languages',
      /100/,
    ],
    [
      'a language twice',
      {
        languages: [
          { id: 5, label: 'x', code: 'en' },
          { id: 5, label: 'y', code: 'da' },
        ],
      },
      'languages',
      /once/,
    ],
    ['a negative limit', { batchLimit: -1 }, 'batchLimit', /percentage/],
    ['a limit over a hundred', { batchLimit: 150 }, 'batchLimit', /percentage from 0 to 100/],
    ['a limit that is no number', { batchLimit: NaN }, 'batchLimit', /percentage/],
    ['a threshold of 0', { queueThreshold: 0 }, 'queueThreshold', /positive/],
    ['a threshold of a half', { queueThreshold: 1.5 }, 'queueThreshold', /positive/],
  ];
  for (const [what, changes, setting, problem] of wrong) {
    t.test(what, async (t) => {
      const decision = companies.decide(configure(changes), companies.initialState());
      t.match(decision, {
        kind: 'refused',
        rejection: { reason: 'settings-invalid', problems: exactly([{ setting, problem }]) },
      });
    });
  }

  t.test('a company that cannot be', async (t) => {
    for (const companyId of [0, 1.5, 2 ** 53])
      t.match(companies.decide({ companyId, changes: {} }, companies.initialState()), {
        rejection: { problems: exactly([{ setting: 'companyId' }]) },
      });
  });

  t.test('all problems are told at once, and a bad company id among them', async (t) => {
    const decision = companies.decide(
      { companyId: 0, changes: { name: '', timeZone: 'Mars' } },
      companies.initialState(),
    );
    t.match(decision, {
      kind: 'refused',
      rejection: {
        problems: exactly([{ setting: 'companyId' }, { setting: 'name' }, { setting: 'timeZone' }]),
      },
    });
  });
});
