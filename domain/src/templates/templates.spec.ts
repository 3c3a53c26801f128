import type { CompanySettings, DomainEventOf, InvitationTemplateSet } from '@rollcall/contracts';
import tap from 'tap';
import { defaultSettings } from '../companies/index.js';
import { specify } from '../testing/decider-specification.js';
import type { TemplateEvent } from './evolve.js';
import * as templates from './index.js';

const { given } = specify<
  templates.SetTemplate,
  templates.TemplatesState,
  TemplateEvent,
  templates.TemplateRejection
>(templates);

const english = { id: 1045, code: 'en', label: 'English' };
const danish = { id: 1041, code: 'da-DK', label: 'Danish' };

const configured = (changes: Partial<CompanySettings> = {}): DomainEventOf<'CompanyConfigured'> => ({
  name: 'CompanyConfigured',
  data: { companyId: 7, settings: { ...defaultSettings(7), languages: [english, danish], ...changes } },
});
const template = (changes: Partial<InvitationTemplateSet> = {}): InvitationTemplateSet => ({
  ...templates.templateInForce(english, undefined),
  ...changes,
});
const set = (changes: Partial<InvitationTemplateSet> = {}): DomainEventOf<'InvitationTemplateSet'> => ({
  name: 'InvitationTemplateSet',
  data: template(changes),
});
const sender = { name: 'Acme, HR', address: 'hr@example.com' };

tap.test('happened', async (t) => {
  t.test('what is named is set, the rest is the default of the language', async () => {
    given(configured())
      .when({ language: 1041, changes: { subject: 'Hej {{FirstName}}', sender } })
      .then({
        name: 'InvitationTemplateSet',
        data: { ...templates.templateInForce(danish, undefined), subject: 'Hej {{FirstName}}', sender },
      });
  });

  t.test('a later command changes what it names and nothing else', async () => {
    given(configured(), set({ subject: 'One', sender }))
      .when({ language: 1045, changes: { subject: 'Two' } })
      .then(set({ subject: 'Two', sender }));
  });
});

tap.test('refused', async (t) => {
  t.test('a company that is not configured', async () => {
    given().when({ language: 1045, changes: {} }).thenRefused({ reason: 'company-unknown' });
  });

  t.test('a language that the company does not have', async () => {
    given(configured())
      .when({ language: 9, changes: { subject: 'One' } })
      .thenRefused({ reason: 'language-unknown', languages: [english, danish] });
  });

  const known = '{{FirstName}}, {{LastName}}, {{Fullname}}, {{CompanyName}}, {{Link}}';
  const link = '{{Link}}';
  const bad: [string, templates.SetTemplate['changes'], string, string][] = [
    [
      'an unknown placeholder',
      { subject: '{{Name}} {{Age}}' },
      'subject',
      `has unknown placeholders: {{Name}}, {{Age}}; known are ${known}`,
    ],
    [
      'the wrong case',
      { text: `{{firstname}} ${link}` },
      'text',
      `has unknown placeholders: {{firstname}}; known are ${known}`,
    ],
    [
      'a brace too few',
      { text: `{{FirstName} ${link}` },
      'text',
      `has double braces that are no placeholder; known are ${known}`,
    ],
    ['no link in the text', { text: 'Hello' }, 'text', 'must have {{Link}}'],
    ['no link in the HTML', { html: '<p>Hello</p>' }, 'html', 'must have {{Link}}'],
    ['a blank subject', { subject: ' ' }, 'subject', 'must not be blank'],
    ['a subject of two lines', { subject: 'a\r\nBcc: b@example.com' }, 'subject', 'must be on one line'],
    ['a long subject', { subject: 'x'.repeat(201) }, 'subject', 'must be at most 200 characters'],
    [
      'a NUL',
      { text: `${link}\0` },
      'text',
      'must be text without control character 0 and broken surrogate pairs',
    ],
    [
      'a link without quotes',
      { html: `<a href=${link}>x</a>` },
      'html',
      'may have only {{Link}} inside a tag, and that in quotes',
    ],
    [
      'a name inside a tag',
      { html: `<a href="${link}" title="{{FirstName}}">x</a>` },
      'html',
      'may have only {{Link}} inside a tag, and that in quotes',
    ],
    [
      'a name as an address',
      { html: `<a href='{{FirstName}}'>x</a>${link}` },
      'html',
      'may have only {{Link}} inside a tag, and that in quotes',
    ],
    [
      'a script',
      { html: `<script>var n = "{{FirstName}}"</script>${link}` },
      'html',
      'must have no placeholder in script or style',
    ],
    [
      'a style that does not end',
      { html: `${link}<style>p::before { content: "{{FirstName}}" }` },
      'html',
      'must have no placeholder in script or style',
    ],
    [
      'what only begins as the end of a style',
      { html: `${link}<style></styles>{{FirstName}}</style>` },
      'html',
      'must have no placeholder in script or style',
    ],
    [
      'an end of a style in a value of its tag',
      { html: `${link}<style title="</style>">{{FirstName}}</style>` },
      'html',
      'must have no placeholder in script or style',
    ],
    [
      'a script with the text of another one',
      { html: `${link}<script><!--<script></script>{{FirstName}}</script>` },
      'html',
      'must have no placeholder in script or style',
    ],
    [
      'a quote within a value, and no second one',
      { html: `${link}<a title=x" id={{FirstName}}>` },
      'html',
      'may have only {{Link}} inside a tag, and that in quotes',
    ],
    [
      'a link between quotes that begin no value',
      { html: `<a title=x" href={{Link}} id=y">` },
      'html',
      'may have only {{Link}} inside a tag, and that in quotes',
    ],
    [
      'a name inside a tag of a comment',
      { html: `<!--[if mso]><v:rect title={{FirstName}}><![endif]-->${link}` },
      'html',
      'may have only {{Link}} inside a tag, and that in quotes',
    ],
    [
      'a sender that is none',
      { sender: { name: 'Acme', address: 'acme' } },
      'sender',
      'must be an e-mail address, or Name <address>',
    ],
    [
      'a sender of two lines',
      { sender: { name: 'A\nB', address: 'a@example.com' } },
      'sender',
      'must be on one line',
    ],
  ];
  for (const [what, changes, part, problem] of bad)
    t.test(what, async () => {
      given(configured())
        .when({ language: 1045, changes })
        .thenRefused({
          reason: 'template-invalid',
          problems: [{ part, problem } as templates.TemplateProblem],
        });
    });

  t.test('everything that is wrong at once', async () => {
    given(configured())
      .when({ language: 1045, changes: { subject: '', text: 'Hello' } })
      .thenRefused({
        reason: 'template-invalid',
        problems: [
          { part: 'subject', problem: 'must not be blank' },
          { part: 'text', problem: 'must have {{Link}}' },
        ],
      });
  });
});

tap.test('HTML as designers send it', async (t) => {
  const link = '<a href="{{Link}}">x</a>';
  const all = [
    ['a placeholder between two styles', `<style>a{}</style><p>{{FirstName}}</p><style>b{}</style>${link}`],
    ['braces that close together in a style', `<style>@media print{p{color:red}}</style>${link}`],
    ['apostrophes in a comment and behind it', `<!-- don't --><p>{{FirstName}}, it's time</p>${link}`],
  ] as const;
  for (const [what, html] of all)
    t.test(what, async () => {
      given(configured())
        .when({ language: 1045, changes: { html } })
        .then({
          name: 'InvitationTemplateSet',
          data: { ...templates.templateInForce(english, undefined), html },
        });
    });
});

tap.test('nothing to do', async () => {
  given(configured(), set({ subject: 'One' }))
    .when({ language: 1045, changes: { subject: 'One' } })
    .thenNothing();
});

tap.test('a template is filled', async (t) => {
  const values = {
    FirstName: '<b>"Astrid" & \'Co\'</b>',
    LastName: 'Holm',
    Fullname: '{{Link}}',
    CompanyName: 'Acme\r\nBcc: b@example.com',
    Link: 'https://surveys.example.com/?a=1&token=x',
  };
  const parts = {
    subject: '{{ CompanyName }}',
    text: '{{FirstName}} {{Fullname}}',
    html: '<p>{{FirstName}}</p><a href="{{Link}}">',
  };
  const filled = templates.fillTemplate(parts, values);
  t.equal(filled.subject, 'Acme Bcc: b@example.com', 'on one line');
  t.equal(filled.text, `<b>"Astrid" & 'Co'</b> {{Link}}`, 'as it is, in one pass');
  t.equal(
    filled.html,
    '<p>&lt;b&gt;&quot;Astrid&quot; &amp; &#39;Co&#39;&lt;/b&gt;</p><a href="https://surveys.example.com/?a=1&amp;token=x">',
  );
});

tap.test('the defaults are templates themselves', async (t) => {
  for (const language of [english, danish]) {
    const { subject, text, html } = templates.defaultTemplate(language);
    given(configured())
      .when({ language: language.id, changes: { subject: `${subject}!`, text, html } })
      .then({
        name: 'InvitationTemplateSet',
        data: { ...templates.templateInForce(language, undefined), subject: `${subject}!` },
      });
  }
  t.match(templates.defaultTemplate(danish).text, /^Hej /);
  t.match(templates.defaultTemplate(undefined).text, /^Hello /);
  t.match(templates.defaultTemplate({ code: 'dan' }).text, /^Hello /);
});

tap.test("an employee's language", async (t) => {
  const all = [english, danish];
  t.equal(templates.languageOf(all), english, 'the first');
  t.equal(templates.languageOf(all, { Language: '1041' }), danish);
  t.equal(templates.languageOf(all, { Language: 'DA-dk' }), danish);
  t.equal(templates.languageOf(all, { Language: 'danish' }), danish);
  t.equal(templates.languageOf(all, { Language: 'Klingon' }), english);
  t.equal(templates.languageOf([]), undefined);
});
