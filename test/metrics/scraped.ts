/** A scrape, read: values by series as it is written, `rollcall_parked_streams`, `name{label="x"}` with labels in order. */
export function readScrape(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))] as const;
    }),
  );
}

/** The series of one metric. */
export const seriesOf = (scrape: ReadonlyMap<string, number>, name: string): string[] =>
  [...scrape.keys()].filter((series) => series.replace(/\{.*$/, '') === name).sort();
