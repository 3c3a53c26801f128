import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { objectOf, rollcallWithin } from './rollcall.js';
import { exactly } from '../support/exactly.js';

async function company(t: Test, languages = '1045:en:English,1041:da:Danish') {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  t.equal((await rollcall(['company', 'configure', '--company', '7', '--languages', languages])).code, 0);
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(dataDir, name), content);
    return join(dataDir, name);
  };
  return { rollcall, file };
}

t.test('a mail is set in part, shown, and stands so the second time', async (t) => {
  const { rollcall, file } = await company(t);
  const text = file('mail.txt', 'Hej {{Fullname}}\n{{Link}}\n');
  const words = ['company', 'template', '--company', '7', '--language', '1041'];
  const set = [...words, '--subject', 'Hej {{FirstName}}', '--text-file', text];
  const all = [...set, '--sender', '"Acme, HR" <hr@example.com>', '--json'];
  const first = objectOf(await rollcall(all));
  t.match(first, {
    companyId: 7,
    changed: true,
    template: {
      language: 1041,
      sender: { name: 'Acme, HR', address: 'hr@example.com' },
      subject: 'Hej {{FirstName}}',
      text: 'Hej {{Fullname}}\n{{Link}}\n',
      html: /Åbn undersøgelsen/,
    },
  });
  t.match(objectOf(await rollcall(all)), { changed: false });
  t.match((await rollcall([...words, '--sender', 'none'])).out, /is set\.\n$/);
  t.match(objectOf(await rollcall([...words, '--show', '--json'])), {
    templates: exactly([{ language: 1041, isSet: true, sender: null, subject: 'Hej {{FirstName}}' }]),
  });
  const shown = await rollcall('company template --company 7 --show');
  t.match(shown.out, /^1045 English \(the default\)$/m);
  t.match(shown.out, /^1041 Danish \(set\)$/m);
  t.match((await rollcall('audit log --company 7')).out, /InvitationTemplateSet/);
});

t.test('a mail that cannot be one is refused, each problem on a line of its own', async (t) => {
  const { rollcall, file } = await company(t);
  const words = ['company', 'template', '--company', '7', '--language', '1045'];
  const bad = await rollcall([
    ...words,
    '--subject',
    '{{Name}}',
    '--text-file',
    file('mail.txt', 'Hello'),
    '--html-file',
    file('mail.html', '<a href={{Link}}>'),
  ]);
  t.equal(bad.code, 2);
  t.match(
    bad.err,
    /^--subject has unknown placeholders: \{\{Name\}\}; known are \{\{FirstName\}\}, .*\n--text-file must have \{\{Link\}\}\n--html-file may have only \{\{Link\}\} inside a tag, and that in quotes\n$/,
  );
  const refused: [string[], number, RegExp][] = [
    [
      [...words, '--text-file', '/nowhere/mail.txt'],
      2,
      /^--text-file \/nowhere\/mail\.txt cannot be read: ENOENT/,
    ],
    [[...words, '--html-file', file('bad', Buffer.from([0xff]))], 2, /cannot be read as UTF-8 text/],
    [[...words, '--show', '--subject', 'x'], 2, /^--show shows what stands/],
    [[...words, '--sender', 'Acme'], 2, /--sender/],
    [['company', 'template', '--company', '7', '--subject', 'x'], 2, /^--language must say/],
    [
      ['company', 'template', '--company', '7', '--language', '9', '--subject', 'x'],
      1,
      /^--language must be one of the company's: 1045 English, 1041 Danish/,
    ],
    [['company', 'template', '--company', '8'], 1, /^Company 8 is not configured/],
  ];
  for (const [call, code, message] of refused) {
    const ran = await rollcall(call);
    t.equal(ran.code, code, call.join(' '));
    t.match(ran.err, message);
  }
});

t.test('a company without languages writes the default in English', async (t) => {
  const { rollcall } = await company(t, 'none');
  t.match((await rollcall('company template --company 7')).out, /has no languages/);
  const set = await rollcall([
    'company',
    'template',
    '--company',
    '7',
    '--language',
    '1045',
    '--subject',
    'x',
  ]);
  t.match([set.code, set.err], exactly([1, /^Company 7 has no languages: set them/]));
});
