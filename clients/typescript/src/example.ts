import { readFile } from 'node:fs/promises';
import { syncEmployees, type Employee } from './index.js';

const { ROLLCALL_URL = 'http://127.0.0.1:3000', ROLLCALL_TOKEN = '', COMPANY_ID = '1' } = process.env;
const result = await syncEmployees({
  baseUrl: ROLLCALL_URL,
  token: ROLLCALL_TOKEN,
  companyId: Number(COMPANY_ID),
  list: async () => JSON.parse(await readFile(process.argv[2] ?? 'employees.json', 'utf8')) as Employee[],
  preview: ({ Inserted, Updated, Removed }) => console.log(`+${Inserted} ~${Updated} -${Removed}`),
  apply: ({ Removed, BatchLimit }) => Removed <= 10 && !BatchLimit.Exceeded,
  follow: ({ HttpStatusReason, Progress }) => console.log(HttpStatusReason, Progress ?? ''),
});
console.log(JSON.stringify(result));
