interface Listening {
  readonly host: string;
  readonly port: number;
}

/** What the operating system says about the address, in words that name the variable. */
const problems: Readonly<Record<string, (config: Listening) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} on ${host} is taken: stop what listens there, or choose another PORT.`,
  EACCES: ({ port }) => `PORT ${port} may not be used by this user: choose one from 1024 up.`,
  EADDRNOTAVAIL: ({ host }) => `HOST ${host} is no address of this machine.`,
  ENOTFOUND: ({ host }) => `HOST ${host} is no address and no name that is known.`,
};

/** Why the process cannot listen, in one line; undefined where the error is about something else. */
export function listenProblem(error: Error, config: Listening): string | undefined {
  if (!('code' in error) || !('syscall' in error)) return undefined;
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return undefined;
  return problems[String(error.code)]?.(config);
}
