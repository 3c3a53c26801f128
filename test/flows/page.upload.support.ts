import type { TestApp } from '../support/test-app.js';
import type { Visitor } from './page.support.js';

export const path = '/operations/companies/7/upload';
export const head = 'EmployeeID,Firstname,Lastname,Email,EmploymentStatus,Department';
export const line = (number: number): string =>
  `E-${number},Bilbo,Baggins,bilbo.${number}@example.com,1,Shire`;
export const csv = (...lines: string[]): string => [head, ...lines].join('\r\n');

export const plain = (text: string): string => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

/** What a browser would send of the page's form to this address. */
export function formIn(text: string, action: string): Record<string, string> {
  const form = text.split('<form').find((each) => each.includes(`action="${action}"`)) ?? '';
  const inputs = form.matchAll(/<input type="hidden"\s+name="(?<name>[^"]+)"\s+value="(?<value>[^"]*)"/g);
  const fields: Record<string, string> = {};
  for (const { groups = {} } of inputs)
    fields[groups['name'] ?? ''] = (groups['value'] ?? '').replace(/&#(\d+);/g, (_, code: string) =>
      String.fromCharCode(Number(code)),
    );
  return fields;
}

/** E-1 and E-2 are there. */
export const putTwo = (app: TestApp) =>
  app.call('PUT', '/v1.0/Company/7/Employee', {
    body: [1, 2].map((number) => ({
      EmployeeID: `E-${number}`,
      Firstname: 'Bilbo',
      Lastname: 'Baggins',
      Email: `bilbo.${number}@example.com`,
      EmploymentStatus: 1,
      Department: 'Shire',
    })),
  });

export async function sendFile(
  visitor: Visitor,
  { url }: Pick<TestApp, 'url'>,
  file: string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
) {
  const body = new FormData();
  for (const [name, value] of Object.entries({
    token: await visitor.token(path),
    kind: 'employees',
    ...more,
  }))
    body.set(name, value);
  body.set('file', new Blob([file]), 'list.csv');
  const headers = { cookie: visitor.cookie ?? '', origin: url, 'sec-fetch-site': 'same-origin' };
  const answer = await fetch(url + path, { method: 'POST', body, headers });
  return { status: answer.status, text: await answer.text() };
}
