/** A word for bash and zsh that means itself. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
