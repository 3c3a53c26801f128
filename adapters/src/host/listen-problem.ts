interface Listening {
  readonly host: string;
  readonly port: number;
}

/** What the operating system says about the address, in words that name the variable. */
const problems: Readonly<Record<string, (config: Listening, variable: string) => string>> = {
  EADDRINUSE: ({ host, port }, variable) =>
    `${variable}PORT ${port} on ${host} is taken: stop what listens there, or choose another ${variable}PORT.`,
  EACCES: ({ port }, variable) =>
    `${variable}PORT ${port} may not be used by this user: choose one from 1024 up.`,
  EADDRNOTAVAIL: ({ host }, variable) => `${variable}HOST ${host} is no address of this machine.`,
  ENOTFOUND: ({ host }, variable) => `${variable}HOST ${host} is no address and no name that is known.`,
};

/**
 * Why the process cannot listen, in one line; undefined where the error is about something else. `variable` is what stands
 * before HOST and PORT in the names of the two variables.
 */
export function listenProblem(error: Error, config: Listening, variable = ''): string | undefined {
  if (!('code' in error) || !('syscall' in error)) return undefined;
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return undefined;
  return problems[String(error.code)]?.(config, variable);
}
