interface Listening {
  readonly host: string;
  readonly port: number;
}

/** The operating system's reason, in words that name the variable. */
const problems: Readonly<Record<string, (config: Listening, variable: string) => string>> = {
  EADDRINUSE: ({ host, port }, variable) =>
    `${variable}PORT ${port} on ${host} is taken: PORT and METRICS_PORT must differ, and nothing else may listen there.`,
  EACCES: ({ port }, variable) =>
    `${variable}PORT ${port} may not be used by this user: choose one from 1024 up.`,
  EADDRNOTAVAIL: ({ host }, variable) => `${variable}HOST ${host} is no address of this machine.`,
  ENOTFOUND: ({ host }, variable) => `${variable}HOST ${host} is no address and no name that is known.`,
};

/** Why the process cannot listen, in one line; undefined for other errors. `variable` is the prefix of HOST and PORT. */
export function listenProblem(error: Error, config: Listening, variable = ''): string | undefined {
  if (!('code' in error) || !('syscall' in error)) return undefined;
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return undefined;
  return problems[String(error.code)]?.(config, variable);
}
