/** docs/contract, "Everywhere". */
export const documentHead = {
  openapi: '3.1.0',
  info: {
    title: 'Rollcall',
    version: '1.0',
    summary: 'Employees, managers and surveys of companies.',
    description: [
      'An HR system sends the whole list of employees in one call and the managers in another; Rollcall works out who is new, who has changed and who has left. It keeps the surveys of the company beside them.',
      'Every call carries `Authorization: Bearer <token>`. Bodies are JSON. Paths and names of query parameters are case-insensitive; an unknown query parameter is a 400. Unknown fields of a body are ignored, and null in an optional field is the same as leaving it out.',
      'Every answer carries `X-Request-Id`; one that the caller sends (at most 128 printable characters) comes back.',
      'With `Accept: application/problem+json` every error has the body `ProblemDetails` (RFC 9457) in place of the one that its endpoint describes.',
    ].join('\n\n'),
    contact: { name: 'Whoever runs this installation and issued your token' },
  },
  servers: [{ url: '/', description: 'The server that this document comes from.' }],
  tags: [
    {
      name: 'Employees',
      description: "The company's list of employees, replaced as a whole, and their invitations.",
    },
    {
      name: 'Managers',
      description:
        'Who leads which department, division or project, replaced as a whole, and the portal users that follow from it.',
    },
    { name: 'Surveys', description: 'Surveys with their questions.' },
    { name: 'Company', description: 'What became of imports, and what the company has configured.' },
    { name: 'Health', description: 'For those who run the service. No token is needed.' },
  ],
  security: [{ token: [] }],
};

export const securitySchemes = {
  token: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: '`rollcall token issue --user N` prints one.',
  },
};
