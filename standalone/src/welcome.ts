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

interface Welcome {
  readonly address: string;
  readonly companyId: number;
  /** Undefined where it is gone: no demo then. */
  readonly tokenFile: string | undefined;
}

/** Only a dry run: pasted later, an import would replace all employees. */
function curlLine({ address, companyId }: Welcome, tokenFile: string): string {
  const url = quoted(`${address}/v1.0/Company/${companyId}/Employee?dryRun=true`);
  const token = `-H "Authorization: Bearer $(cat ${quoted(tokenFile)})"`;
  const body = `-H 'Content-Type: application/json' -d ${quoted(exampleBody)}`;
  return `curl -X PUT ${url} ${token} ${body}`;
}

export function welcomeText(welcome: Welcome): string {
  const { address, companyId, tokenFile } = welcome;
  const lines = [`Rollcall listens on ${address} (reference: ${address}/docs)`];
  if (tokenFile !== undefined) {
    lines.push(`Company  ${companyId} "Demo"`, `Token    ${tokenFile}`);
    lines.push('Ask what a list of employees would do:', '', curlLine(welcome, tokenFile), '');
  }
  return `${lines.join('\n')}\n`;
}
