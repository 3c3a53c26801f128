import type { StoredEvent } from './log-file.js';
import type { streams } from './protocol.js';

export interface EventFilter {
  readonly matches: (event: StoredEvent) => boolean;
  /** A subscription tells its place every so many events, whether they match or not. */
  readonly checkpointEvery: number;
}

const DEFAULT_SEARCH_WINDOW = 32;

/** Throws where the expression is none. */
export function filterOf(options: streams.ReadReq.Options): EventFilter | undefined {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const window = filter.hasMax() ? filter.getMax() : DEFAULT_SEARCH_WINDOW;
  const checkpointEvery = window * filter.getCheckpointintervalmultiplier();
  if (filter.hasEventType()) {
    const fits = expressionOf(filter.getEventType());
    return { matches: ({ type }) => fits(type), checkpointEvery };
  }
  const fits = expressionOf(filter.getStreamIdentifier());
  return { matches: ({ stream }) => fits(stream), checkpointEvery };
}

function expressionOf(
  expression: streams.ReadReq.Options.FilterOptions.Expression | undefined,
): (text: string) => boolean {
  const prefixes = expression?.getPrefixList() ?? [];
  if (prefixes.length > 0) return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  const regex = new RegExp(expression?.getRegex() ?? '', 'u');
  return (text) => regex.test(text);
}
