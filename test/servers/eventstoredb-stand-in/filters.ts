import { handlerThrew, noWindow, type Failure } from './errors.js';
import type { StoredEvent } from './log-file.js';
import type { streams } from './protocol.js';

export interface EventFilter {
  readonly matches: (event: StoredEvent) => boolean;
  /** A subscription tells its place every so many events, whether they match or not. */
  readonly checkpointEvery: number;
}

const DEFAULT_SEARCH_WINDOW = 32;

/** The call's filter, where it has one; a failure where the server takes none like it. */
export function filterOf(options: streams.ReadReq.Options): { readonly filter?: EventFilter } | Failure {
  const filter = options.getFilter();
  if (filter === undefined) return {};
  if (!filter.hasMax() && !filter.hasCount()) return noWindow();
  const window = filter.hasMax() ? filter.getMax() : DEFAULT_SEARCH_WINDOW;
  const checkpointEvery = window * filter.getCheckpointintervalmultiplier();
  const onType = filter.hasEventType();
  try {
    const fits = expressionOf(onType ? filter.getEventType() : filter.getStreamIdentifier());
    return { filter: { matches: ({ type, stream }) => fits(onType ? type : stream), checkpointEvery } };
  } catch {
    return handlerThrew();
  }
}

function expressionOf(
  expression: streams.ReadReq.Options.FilterOptions.Expression | undefined,
): (text: string) => boolean {
  const prefixes = expression?.getPrefixList() ?? [];
  if (prefixes.length > 0) return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  const regex = new RegExp(fromDotNet(expression?.getRegex() ?? ''), 'u');
  return (text) => regex.test(text);
}

/** .NET takes a backslash before any sign, `\#` too; JavaScript only before those that mean something. */
const fromDotNet = (source: string): string =>
  source.replace(/\\(.)/gsu, (escaped, sign: string) =>
    /[\w^$\\.*+?()[\]{}|/-]/.test(sign) ? escaped : sign,
  );
