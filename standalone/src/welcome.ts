/** A word for sh, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const exampleBody = JSON.stringify([
  {
    EmployeeID: 'A-1',
    Firstname: 'Ada',
    Lastname: 'Berg',
    Email: 'ada.berg@example.com',
    EmploymentStatus: 0,
  },
]);

export interface Welcome {
  readonly address: string;
  readonly companyId: number;
  /** Undefined where it is gone: then there is no demo to show. */
  readonly tokenFile: string | undefined;
  readonly isFirstRun: boolean;
}

/** A line for sh. The first one sends an employee; later ones only read, because sending replaces whoever is there by then. */
function curlLine({ address, companyId, isFirstRun }: Welcome, tokenFile: string): string {
  const url = quoted(`${address}/v1.0/Company/${companyId}/Employee`);
  const token = `-H "Authorization: Bearer $(cat ${quoted(tokenFile)})"`;
  const body = `-H 'Content-Type: application/json' -d ${quoted(exampleBody)}`;
  return isFirstRun ? `curl -X PUT ${url} ${token} ${body}` : `curl ${url} ${token}`;
}

/** What the process says when it listens. */
export function welcomeText(welcome: Welcome): string {
  const { address, companyId, tokenFile, isFirstRun } = welcome;
  const lines = [`Rollcall listens on ${address} (reference: ${address}/docs)`];
  if (tokenFile !== undefined) {
    lines.push(`Company  ${companyId} "Demo"`, `Token    ${tokenFile}`);
    lines.push(
      isFirstRun ? 'Send an employee:' : 'Read the employees:',
      '',
      curlLine(welcome, tokenFile),
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
